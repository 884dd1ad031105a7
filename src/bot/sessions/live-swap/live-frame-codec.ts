/**
 * Converts pictures between JPEG, which pages send and show, and a service's own format. The API does not define how
 * sessions transfer pictures, so each service needs a codec of its own.
 */
export interface LiveFrameCodec {
  /** The codec's name in the log, such as `jpeg`. */
  readonly name: string;
  /**
   * Returns a prompt of at most 2,000 characters that asks the service to use the face in an uploaded picture;
   * `undefined` if the member's prompt leaves no room for this. Without this method, members cannot provide a face.
   */
  promptWithFace?(prompt: string | undefined, fileKey: string): string | undefined;
  /** Returns the translator for one session. Called before the session is connected. */
  open(): FrameTranslator;
}

/** Converts the pictures of one session. No method may throw or take long. */
export interface FrameTranslator {
  /**
   * Returns the message for a picture from the page. If the service would not accept the picture, returns null, and the
   * picture is dropped.
   */
  toService(jpeg: Buffer): Uint8Array | string | null;
  /** Returns the picture in a binary message from the service as JPEG; null if the message contains none. */
  toPage(message: Buffer): Buffer | null;
}
