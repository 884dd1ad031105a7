import type { SpeechPacket } from './speech-packet.ts';

/** A member of a voice channel, other than the bot itself. */
export interface VoiceMember {
  readonly userId: string;
  readonly isBot: boolean;
  /** Whether the server has muted the member or denies them the Speak permission, so that no speech can arrive. */
  readonly isSilenced: boolean;
}

/** An event at an endpoint. After `ended` there are no more events, and nothing more is received or sent. */
export type EndpointEvent =
  | { readonly kind: 'joined' | 'left' | 'changed'; readonly member: VoiceMember }
  /** The connection broke. The next event is `restored`, or `ended` if the connection cannot be restored. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'restored' }
  | { readonly kind: 'ended'; readonly reason: EndpointEnd };

/**
 * Why an endpoint ended. `closed`: the bot itself closed it. `disconnected`: a user disconnected the bot, the call
 * ended, or Discord does not let the bot reconnect.
 */
export type EndpointEnd = 'closed' | 'moved' | 'disconnected' | 'channel_deleted' | 'unreachable';

/** Counts since the bot joined: packets that were not passed on, and repairs of the encryption or connection. */
export interface EndpointCounts {
  /** Packets that could not be decrypted, because of their transport encryption or their end-to-end encryption. */
  readonly undecryptable: number;
  /** Packets that could not be decoded because they were still end-to-end encrypted. */
  readonly stillEncrypted: number;
  /** Packets of members that the bot does not listen to, and packets that did not come from the voice server. */
  readonly foreign: number;
  /** The number of times the end-to-end encryption was set up again because no packet could be decrypted. */
  readonly recoveries: number;
  /** The number of times the connection was restored. */
  readonly rejoins: number;
}

/** The bot's connection to one voice channel, where it listens and speaks. */
export interface VoiceEndpoint extends AsyncDisposable {
  readonly guildId: string;
  readonly channelId: string;
  /** The members who are in the channel now. */
  readonly members: readonly VoiceMember[];
  readonly counts: EndpointCounts;
  /** Passes a member's packets to `listener` until the result is disposed. Other members' packets are not decrypted. */
  hear(userId: string, listener: (packet: SpeechPacket) => void): Disposable;
  /**
   * Sends one packet of 20 ms at once. Returns false if the connection cannot send it now; the packet is then
   * dropped.
   */
  speak(opus: Uint8Array): boolean;
  /** Ends a stretch of speech with five frames of silence. */
  hush(): void;
  onEvent(listener: (event: EndpointEvent) => void): Disposable;
}
