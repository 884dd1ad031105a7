import type { SpeechPacket } from './speech-packet.ts';

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
