/**
 * Translates pictures between pages and a service. The API does not define how sessions transfer pictures, so each
 * service needs a codec of its own. Pages send and show JPEG pictures.
 */
export interface LiveFrameCodec {
  /** The name for the log, such as `jpeg`. */
  readonly name: string;
  /**
   * Returns a prompt of at most 2,000 characters that requests the face in an uploaded picture; `undefined` if the
   * member's prompt is too long for that. Without this method, members cannot provide a face.
   */
  promptWithFace?(prompt: string | undefined, fileKey: string): string | undefined;
  /** Returns the translator for one session. Called before the session is connected. */
  open(): FrameTranslator;
}

/** Translates the pictures of one session. No method may throw or take long. */
export interface FrameTranslator {
  /**
   * Returns the message for a picture from the page; null if the service does not accept it and it must be dropped.
   */
  toService(jpeg: Buffer): Uint8Array | string | null;
  /** Returns the picture in a binary message from the service as JPEG; null if there is none. */
  toPage(message: Buffer): Buffer | null;
}
