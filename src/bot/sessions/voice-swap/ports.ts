/** One Opus packet of a member, as it came in: packets may be lost, late, doubled or out of order. */
export interface SpeechPacket {
  readonly opus: Uint8Array;
  /** Of the RTP header, 0 to 65,535, one more for each packet; a step says what was lost. */
  readonly sequence: number;
  /** Of the RTP header, in samples of 48 kHz, modulo 2^32; a jump without a step of `sequence` is silence. */
  readonly timestamp: number;
  /** Another one means another stream: nothing of the decoder's state holds for it. */
  readonly ssrc: number;
}

/** Who is in a voice channel, besides the bot itself. */
export interface VoiceMember {
  readonly userId: string;
  readonly isBot: boolean;
  /** Muted by the server or not allowed to speak: nothing of theirs can arrive. */
  readonly isSilenced: boolean;
}

/** What happens at an endpoint. After `ended` nothing follows, and nothing is heard or sent any more. */
export type EndpointEvent =
  | { readonly kind: 'joined' | 'left' | 'changed'; readonly member: VoiceMember }
  /** The connection broke and is being made again (`restored`), or is given up (`ended`). */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'restored' }
  | { readonly kind: 'ended'; readonly reason: EndpointEnd };

/** `closed` is our own doing. `disconnected`: somebody disconnected the bot, the call ended, or Discord asks to stay away. */
export type EndpointEnd = 'closed' | 'moved' | 'disconnected' | 'channel_deleted' | 'unreachable';

/** Packets that were not passed on, and repairs, since joining. */
export interface EndpointCounts {
  /** Failed the transport's or the call's decryption. */
  readonly undecryptable: number;
  /** Still encrypted end to end: nobody could have decoded them. */
  readonly stillEncrypted: number;
  /** Of nobody that is heard, or not of the voice server. */
  readonly foreign: number;
  /** Times that the encryption of the call was set up anew because nothing could be read. */
  readonly recoveries: number;
  /** Times that the connection was made again. */
  readonly rejoins: number;
}

/** The bot in one voice channel: what it hears there and what it says. */
export interface VoiceEndpoint extends AsyncDisposable {
  readonly guildId: string;
  readonly channelId: string;
  /** Who is there now. */
  readonly members: readonly VoiceMember[];
  readonly counts: EndpointCounts;
  /** Passes on a member's packets until disposed. Nobody else's are decrypted. */
  hear(userId: string, listener: (packet: SpeechPacket) => void): Disposable;
  /** Sends one packet of 20 ms at once; false when the connection cannot take it just now: it is lost then. */
  speak(opus: Uint8Array): boolean;
  /** Ends a stretch of speech: five frames of silence, then not speaking. */
  hush(): void;
  onEvent(listener: (event: EndpointEvent) => void): Disposable;
}

/** Where to join. In a stage the bot asks to speak. */
export interface VoicePlace {
  readonly guildId: string;
  readonly channelId: string;
}

/** Joins voice channels as one bot user: one channel of a guild at a time. */
export interface VoiceConnector {
  /** Of the bot user, so that it is never heard itself. */
  readonly userId: string;
  /** Ready to hear and speak. Throws `VoiceError`. */
  join(place: VoicePlace, signal?: AbortSignal): Promise<VoiceEndpoint>;
}

/** The line under a voice channel's name that everybody sees before joining it. */
export interface ChannelStatus {
  /** At most 500 characters are shown. False when Discord does not allow it, or could not be asked. */
  set(channelId: string, text: string): Promise<boolean>;
  clear(channelId: string): Promise<boolean>;
}
