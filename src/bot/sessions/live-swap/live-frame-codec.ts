/**
 * How pictures travel over a live session: the API leaves that open, so that each service needs a codec that knows its
 * way. Pages send and show JPEG pictures.
 */
export interface LiveFrameCodec {
  /** For the log, such as `jpeg`. */
  readonly name: string;
  /**
   * A prompt that has the face in an uploaded picture worn. Without it, members cannot bring a face. Returns at most
   * 2,000 characters, or undefined where the prompt is too long for that.
   */
  promptWithFace?(prompt: string | undefined, fileKey: string): string | undefined;
  /** For one session; called before it is connected to. */
  open(): FrameTranslator;
}

/** The pictures of one session. None of these may throw or take long. */
export interface FrameTranslator {
  /** What to send for a picture of the page; null: it is none that the service takes, and is dropped. */
  toService(jpeg: Buffer): Uint8Array | string | null;
  /** The picture in a binary message of the service, as JPEG; null: there is none in it. */
  toPage(message: Buffer): Buffer | null;
}
