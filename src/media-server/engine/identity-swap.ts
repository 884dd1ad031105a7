import type { RenderedVideo } from './rendered.ts';

/** Renders Identity Swap jobs. */
export interface IdentitySwapEngine {
  /**
   * Replaces the whole head, hair included, of the person in the clip at `videoPath` by the one in the picture at
   * `characterPath`, and writes an MP4 with the clip's own sound to `outputPath`. Throws `RenderError` when the
   * inputs are at fault or the render did not complete, and the signal's reason when aborted.
   */
  swapIdentity(request: IdentitySwapRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface IdentitySwapRequest {
  readonly videoPath: string;
  readonly characterPath: string;
  /** `1k`: longer side 1,024 pixels; `2k`: 2,048. */
  readonly resolution: '1k' | '2k';
  readonly outputPath: string;
}
