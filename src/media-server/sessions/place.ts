/** A place in an engine, taken for one session. It converts the client's frames. Disposing releases it. */
export interface Place extends AsyncDisposable {
  readonly limits: FrameLimits;
  /** The text frame that is sent as soon as the client connects. */
  readonly greeting: string | undefined;
  /**
   * Starts to convert. Returns a function that accepts the client's binary frames; it never blocks, and its
   * queue is limited.
   */
  connect(line: Line): (frame: Buffer) => void;
}

/** The connection back to the client. */
export interface Line {
  /** Sends a converted frame. */
  send(frame: Uint8Array): void;
  /** Ends the session after an error in the client's data or in the conversion. */
  fail(fault: 'client' | 'server', error: unknown): void;
}

/** The limits on a client's frames, and on the data that the client may leave unread. */
export interface FrameLimits {
  readonly frameBytesMax: number;
  readonly framesPerSecondMax: number;
  /** The number of converted bytes that may wait for a client that does not read them. */
  readonly unreadBytesMax: number;
}
