import type { RenderedVideo, ResolutionP } from './rendered.ts';

/** Renders Video Swap jobs. */
export interface VideoSwapEngine {
  /**
   * Puts the face of the picture at `facePath` on the main face of the clip at `videoPath`, frame by frame, and
   * writes an MP4 with the clip's own sound to `outputPath`. Throws `RenderError` when the inputs are at fault or
   * the render did not complete, and the signal's reason when aborted.
   */
  swapVideo(request: VideoSwapRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface VideoSwapRequest {
  readonly videoPath: string;
  readonly facePath: string;
  /** Shorter side of the result. Absent: the clip's own size. */
  readonly resolutionP?: ResolutionP | undefined;
  readonly outputPath: string;
}
