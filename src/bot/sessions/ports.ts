import type { MicroUsd } from '../../base/money.ts';
import type { SessionCapability } from '../../media-api/wire.ts';

/** A voice session at the service that is open: paid by the second from its first converted frame. */
export interface VoiceLine {
  /** Of the row in our books. */
  readonly id: string;
  /** Samples per second of both directions, mono 16-bit. */
  readonly sampleRateHz: number;
  /** About how many samples one message should hold. */
  readonly chunkFrames: number;
  /** Sends a chunk at once. False: the service does not read, and the chunk was dropped; nothing queues. */
  send(samples: Int16Array): boolean;
  /** Converted speech, in pieces of any length; one listener. */
  onConverted(listener: (samples: Int16Array) => void): void;
  /** Called once, however it ends; also after `close`. */
  onEnd(listener: (end: LineEnd) => void): void;
  /** Where it stands now; changes with time. */
  readonly standing: LineStanding;
  /** Closes the socket, which is what ends a session; the charge is settled later. Resolves when it is closed. */
  close(reason: CloseReason): Promise<void>;
}

export interface LineStanding {
  /** Milliseconds that will be billed, by our own meter; 0 before the first converted frame. */
  readonly meteredMs: number;
  /** Milliseconds since converted speech came last, or since connecting where none has. */
  readonly quietMs: number;
  /** Milliseconds until the socket is closed by us, at the granted limit at the latest. */
  readonly leftMs: number;
  /** What the metered time costs by the rate that was quoted: an estimate until the usage record tells. */
  readonly estimate: MicroUsd;
  /** What is held for it. */
  readonly held: MicroUsd;
}

/** Why we close a session. */
export type CloseReason =
  | 'left'
  | 'opted_out'
  | 'moderated'
  | 'stopped'
  | 'idle'
  | 'unanswered'
  | 'replaced'
  | 'channel_lost'
  | 'undisclosed'
  | 'shutdown';

/** Why one ended: by us, by us at the granted limit (`granted`), or by the service or the network (`lost`). */
export type LineEnd =
  | { readonly kind: 'closed'; readonly reason: CloseReason }
  | { readonly kind: 'granted' }
  | { readonly kind: 'lost'; readonly code: number };

/** Whose speech is to be converted, and into what. */
export interface VoiceLineRequest {
  readonly guildId: string;
  /** Of the voice channel where it is heard. */
  readonly channelId: string;
  readonly userId: string;
  /** For caps of roles. */
  readonly roleIds: readonly string[];
  /** Of the service's voices; null passes the voice through unchanged, which is a session too. */
  readonly voiceId: string | null;
  /** 1 to 120. */
  readonly minutes: number;
}

/**
 * Opens paid voice sessions. Before the service is asked, `max_cost_usd` is held: whoever cannot pay it is refused
 * and nothing was opened. Throws `SessionError`, whose code and text a member can be told.
 */
export interface VoiceLines {
  open(request: VoiceLineRequest, signal?: AbortSignal): Promise<VoiceLine>;
}

/** What a session is expected to cost; implemented by the quotes of the pipeline. */
export interface SessionQuotes {
  ofSession(
    capability: SessionCapability,
    seconds: number,
  ): {
    /** Above zero. */
    readonly hold: MicroUsd;
    /** JSON of what it was computed from, kept with the hold. */
    readonly snapshot: string;
  };
}
