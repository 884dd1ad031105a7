import type { RenderedVideo } from './rendered.ts';

/** Renders Identity Swap jobs. */
export interface IdentitySwapEngine {
  /**
   * Replaces the whole head, including hair, of the person in the clip at `videoPath` with the one in the
   * picture at `characterPath`, and writes an MP4 with the clip's own sound to `outputPath`. Throws
   * `RenderError` if an input cannot be used or the render fails, and the signal's reason when aborted.
   */
  swapIdentity(request: IdentitySwapRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface IdentitySwapRequest {
  readonly videoPath: string;
  readonly characterPath: string;
  /** The longer side of the result: 1,024 pixels for `1k`, 2,048 for `2k`. */
  readonly resolution: '1k' | '2k';
  readonly outputPath: string;
}
