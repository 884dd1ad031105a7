import type { RenderedVideo, ResolutionP } from './rendered.ts';

/** Renders Video Swap jobs. */
export interface VideoSwapEngine {
  /**
   * Puts the face in the picture at `facePath` on the main face in the clip at `videoPath`, frame by frame,
   * and writes an MP4 with the clip's own sound to `outputPath`. Throws `RenderError` if an input cannot be
   * used or the render fails, and the signal's reason when aborted.
   */
  swapVideo(request: VideoSwapRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface VideoSwapRequest {
  readonly videoPath: string;
  readonly facePath: string;
  /** The shorter side of the result, or undefined for the clip's own size. */
  readonly resolutionP?: ResolutionP | undefined;
  readonly outputPath: string;
}
