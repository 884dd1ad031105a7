/** Changes a member's face live, picture by picture. */
export interface LiveSwapEngine {
  /** The faces that can be worn without bringing one, such as `elderly-man`; the first is the default. */
  readonly faces: readonly LiveFace[];

  /**
   * Takes one place and is ready to swap. Throws `CapacityError` when none is free, `RenderError` when the picture
   * brought shows no face. The caller disposes the stream, which gives the place back.
   */
  open(options: LiveStreamOptions): Promise<LiveStream>;
}

export interface LiveFace {
  readonly id: string;
  /** How a prompt names it, such as `an elderly man with grey hair`. */
  readonly description: string;
}

export interface LiveStreamOptions {
  /** Whose face: one of `faces`, or that of a picture file. */
  readonly face: { readonly id: string } | { readonly path: string };
}

/** One person's camera, in order. */
export interface LiveStream extends AsyncDisposable {
  /**
   * Takes a JPEG and returns it with the face changed, or unchanged where none is seen or it is turned away too
   * far. Throws `RenderError` for what is no JPEG or too large, and when the stream has died.
   */
  swap(jpeg: Uint8Array): Promise<Uint8Array>;
}
