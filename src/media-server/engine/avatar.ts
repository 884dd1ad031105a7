import type { RenderedVideo, ResolutionP } from './rendered.ts';

/** Renders Avatar jobs. */
export interface AvatarEngine {
  /** The languages that can be spoken, as BCP 47 primary subtags such as `en`. */
  readonly languages: readonly string[];

  /**
   * Makes the person in the picture at `imagePath` speak `script`, and writes an MP4 with the speech to
   * `outputPath`. Throws `RenderError` when the inputs are at fault or the render did not complete, and the
   * signal's reason when aborted.
   */
  speak(request: AvatarRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface AvatarRequest {
  readonly imagePath: string;
  /** 1 to 5,000 characters. */
  readonly script: string;
  /** One of the voices list. Absent: a default one. */
  readonly voiceId?: string | undefined;
  /** One of `languages`. Absent: the voice's own. */
  readonly language?: string | undefined;
  /** Shorter side of the result. Absent: the picture's own size, within what the engine can draw. */
  readonly resolutionP?: ResolutionP | undefined;
  readonly outputPath: string;
}
