import type { RenderedVideo } from './rendered.ts';

/** Renders Motion Transfer jobs. */
export interface MotionTransferEngine {
  /**
   * Makes the person in the picture at `imagePath` move as the person in the clip at `motionPath` does, and writes
   * an MP4 with that clip's sound to `outputPath`. Throws `RenderError` when the inputs are at fault or the render
   * did not complete, and the signal's reason when aborted.
   */
  transferMotion(request: MotionTransferRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface MotionTransferRequest {
  readonly imagePath: string;
  readonly motionPath: string;
  readonly outputPath: string;
}
