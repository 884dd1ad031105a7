/** Replaces a member's face live, frame by frame. */
export interface LiveSwapEngine {
  /** The preset faces, such as `elderly-man`; the first is the default. */
  readonly faces: readonly LiveFace[];

  /**
   * Opens a stream, which takes one of the engine's places, and prepares to swap. Throws `CapacityError` if no place is
   * free, and `RenderError` if the given picture shows no face. The caller disposes the stream, which releases the
   * place.
   */
  open(options: LiveStreamOptions): Promise<LiveStream>;
}

export interface LiveFace {
  readonly id: string;
  /** The description that a prompt may use for the face, such as `an elderly man with grey hair`. */
  readonly description: string;
}

export interface LiveStreamOptions {
  /** The face to wear: one of `faces`, or the one in a picture file. */
  readonly face: { readonly id: string } | { readonly path: string };
}

/** The stream of pictures from one person's camera, which are processed in order. */
export interface LiveStream extends AsyncDisposable {
  /**
   * Returns the JPEG with the face replaced, or unchanged if no face is visible or it is turned away too far.
   * Throws `RenderError` if it is not a JPEG or too large, and after the stream has failed.
   */
  swap(jpeg: Uint8Array): Promise<Uint8Array>;
}
