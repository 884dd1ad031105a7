import type { RenderedVideo } from './rendered.ts';

/** Renders Motion Transfer jobs. */
export interface MotionTransferEngine {
  /**
   * Animates the person in the picture at `imagePath` to move like the person in the clip at `motionPath`,
   * and writes an MP4 with that clip's sound to `outputPath`. Throws `RenderError` if an input cannot be used
   * or the render fails, and the signal's reason when aborted.
   */
  transferMotion(request: MotionTransferRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface MotionTransferRequest {
  readonly imagePath: string;
  readonly motionPath: string;
  readonly outputPath: string;
}
