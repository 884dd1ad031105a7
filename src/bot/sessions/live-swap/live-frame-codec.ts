/**
 * Translates pictures between pages and a service. The API leaves open how pictures travel over a session, so each
 * service needs a codec of its own. Pages send and show JPEG pictures.
 */
export interface LiveFrameCodec {
  /** The name in the log, such as `jpeg`. */
  readonly name: string;
  /**
   * Returns a prompt that asks for the face in an uploaded picture. Without this method, members cannot bring a face.
   * The prompt has at most 2,000 characters; undefined if the member's prompt is too long for that.
   */
  promptWithFace?(prompt: string | undefined, fileKey: string): string | undefined;
  /** Returns the translator of one session. Called before the session is connected to. */
  open(): FrameTranslator;
}

/** Translates the pictures of one session. No method may throw or take long. */
export interface FrameTranslator {
  /** Returns the message for a picture of the page; null if the service does not take it, so that it is dropped. */
  toService(jpeg: Buffer): Uint8Array | string | null;
  /** Returns the picture in a binary message of the service as JPEG; null if there is none. */
  toPage(message: Buffer): Buffer | null;
}
