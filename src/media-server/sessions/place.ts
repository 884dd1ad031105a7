/**
 * A place taken for one session: what turns its client's frames into converted ones. Disposing gives it back.
 */
export interface Place extends AsyncDisposable {
  readonly limits: FrameLimits;
  /** The text frame that is sent as soon as the client connects. */
  readonly greeting: string | undefined;
  /** Begins to convert; returns what takes the client's binary frames. It never waits and its queue is bounded. */
  connect(line: Line): (frame: Buffer) => void;
}

/** The way back to the client. */
export interface Line {
  /** Sends a converted frame. */
  send(frame: Uint8Array): void;
  /** Ends the session: what the client sent is at fault, or else the conversion. */
  fail(fault: 'client' | 'server', error: unknown): void;
}

/** What is refused, and when a client is too slow to be kept. */
export interface FrameLimits {
  readonly frameBytesMax: number;
  readonly framesPerSecondMax: number;
  /** Converted bytes that may wait for a client that does not read them. */
  readonly unreadBytesMax: number;
}
