import type { CloseReason, LineEnd } from './line-end.ts';
import type { LineStanding } from './line-standing.ts';

/** An open voice session at the service. It is paid by the second from its first converted frame. */
export interface VoiceLine {
  /** The id of the session's row in the books. */
  readonly id: string;
  /** Samples per second of both directions, mono 16-bit. */
  readonly sampleRateHz: number;
  /** The approximate number of samples that one message should hold. */
  readonly chunkFrames: number;
  /** Sends a chunk at once. Returns false if the service does not read. The chunk is then dropped, because nothing queues. */
  send(samples: Int16Array): boolean;
  /** Sets the listener for converted speech, which arrives in pieces of any length. */
  onConverted(listener: (samples: Int16Array) => void): void;
  /** Calls `listener` once, however the session ends, also after `close`. */
  onEnd(listener: (end: LineEnd) => void): void;
  /** The state now. */
  readonly standing: LineStanding;
  /** Ends the session by closing the socket, and resolves when it is closed. The charge is settled later. */
  close(reason: CloseReason): Promise<void>;
}
