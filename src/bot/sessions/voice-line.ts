import type { CloseReason, LineEnd } from './line-end.ts';
import type { LineStanding } from './line-standing.ts';

/** An open voice session at the service, which is paid for by the second, starting with its first converted frame. */
export interface VoiceLine {
  /** The id of the session's row in the books. */
  readonly id: string;
  /** The samples per second in both directions, mono, 16 bits each. */
  readonly sampleRateHz: number;
  /** The approximate number of samples per message. */
  readonly chunkFrames: number;
  /**
   * Sends a chunk at once. Returns false if the service does not read fast enough; the chunk is then dropped, because
   * nothing is queued.
   */
  send(samples: Int16Array): boolean;
  /** Sets the listener for converted speech, which arrives in pieces of any length. */
  onConverted(listener: (samples: Int16Array) => void): void;
  /** Calls `listener` once when the session ends for any reason, including `close`. */
  onEnd(listener: (end: LineEnd) => void): void;
  /** The session's current state. */
  readonly standing: LineStanding;
  /** Ends the session by closing the socket, and resolves when the socket is closed. The charge is settled later. */
  close(reason: CloseReason): Promise<void>;
}
