import type { RenderedVideo, ResolutionP } from './rendered.ts';

/** Renders Lip Sync jobs. */
export interface LipSyncEngine {
  /**
   * Animates the mouth of the person in the clip at `videoPath` to follow the recording at `audioPath`, and
   * writes an MP4 with that recording as its sound to `outputPath`. The result is as long as the recording: a
   * longer clip is cut, a shorter one continues backwards and forwards. Throws `RenderError` if an input
   * cannot be used or the render fails, and the signal's reason when aborted.
   */
  syncLips(request: LipSyncRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface LipSyncRequest {
  readonly videoPath: string;
  readonly audioPath: string;
  /** The shorter side of the result, or undefined for the clip's own size. */
  readonly resolutionP?: ResolutionP | undefined;
  readonly outputPath: string;
}
