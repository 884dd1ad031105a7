import type { RenderedVideo, ResolutionP } from './rendered.ts';

/** Renders Lip Sync jobs. */
export interface LipSyncEngine {
  /**
   * Makes the mouth of the person in the clip at `videoPath` follow the recording at `audioPath`, and writes an MP4
   * with that recording as its sound to `outputPath`. The result is as long as the recording: a longer clip is cut,
   * a shorter one goes on back and forth. Throws `RenderError` when the inputs are at fault or the render did not
   * complete, and the signal's reason when aborted.
   */
  syncLips(request: LipSyncRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface LipSyncRequest {
  readonly videoPath: string;
  readonly audioPath: string;
  /** Shorter side of the result. Absent: the clip's own size. */
  readonly resolutionP?: ResolutionP | undefined;
  readonly outputPath: string;
}
