import type { CloseReason, LineEnd } from './line-end.ts';
import type { LineStanding } from './line-standing.ts';

/** An open voice session at the service, which is paid by the second from its first converted frame on. */
export interface VoiceLine {
  /** The id of the session's row in the books. */
  readonly id: string;
  /** Samples per second in both directions, mono 16-bit. */
  readonly sampleRateHz: number;
  /** The approximate number of samples per message. */
  readonly chunkFrames: number;
  /**
   * Sends a chunk at once. Returns false if the service does not read fast enough; the chunk is dropped, because
   * nothing is queued.
   */
  send(samples: Int16Array): boolean;
  /** Sets the listener for converted speech, which arrives in pieces of any length. */
  onConverted(listener: (samples: Int16Array) => void): void;
  /** Calls `listener` once when the session ends for any reason, including `close`. */
  onEnd(listener: (end: LineEnd) => void): void;
  /** The current state. */
  readonly standing: LineStanding;
  /** Ends the session by closing the socket, and resolves when it is closed. The charge is settled later. */
  close(reason: CloseReason): Promise<void>;
}
