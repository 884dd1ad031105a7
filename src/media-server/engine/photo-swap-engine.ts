import type { RenderedImage } from './rendered.ts';

/** Renders Photo Swap jobs. */
export interface PhotoSwapEngine {
  /**
   * Puts the face in the picture at `facePath` on the main face in the picture at `imagePath` and writes the result,
   * which has the size of the picture at `imagePath`, to `outputPath`. Throws `RenderError` if an input cannot be used
   * or the render fails, and the signal's reason when aborted.
   */
  swapPhoto(request: PhotoSwapRequest, signal: AbortSignal): Promise<RenderedImage>;
}

export interface PhotoSwapRequest {
  readonly imagePath: string;
  readonly facePath: string;
  readonly outputPath: string;
}
