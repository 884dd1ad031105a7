import type { RenderedVideo, ResolutionP } from './rendered.ts';

/** Renders Avatar jobs. */
export interface AvatarEngine {
  /** The spoken languages, as BCP 47 primary subtags such as `en`. */
  readonly languages: readonly string[];

  /**
   * Animates the person in the picture at `imagePath` to speak `script`, and writes an MP4 with the speech to
   * `outputPath`. Throws `RenderError` if an input cannot be used or rendering fails, and the signal's reason when
   * aborted.
   */
  speak(request: AvatarRequest, signal: AbortSignal): Promise<RenderedVideo>;
}

export interface AvatarRequest {
  readonly imagePath: string;
  /** The text to speak, 1 to 5,000 characters. */
  readonly script: string;
  /** One of the listed voices, or undefined for the default voice. */
  readonly voiceId?: string | undefined;
  /** One of `languages`, or undefined for the voice's language. */
  readonly language?: string | undefined;
  /** The shorter side of the result in pixels, or undefined for the picture's own size, up to the engine's limit. */
  readonly resolutionP?: ResolutionP | undefined;
  readonly outputPath: string;
}
