import type { z } from 'zod';
import type { Codec } from './codec/codec.ts';
import type { FaceReader } from './face/face-reader.ts';
import type { PictureFiles } from './photo/picture-file.ts';

/** The tools that a worker loads once for all its renders. */
export interface RenderTools {
  readonly files: PictureFiles;
  readonly reader: FaceReader;
  /** Loads the codec on the first call. Throws if no codec is available. */
  codec(): Promise<Codec>;
}

/** One kind of task for workers. */
export interface Renderer<Request, Result> {
  readonly request: z.ZodType<Request>;
  /**
   * Renders a request. Throws `RenderError`. It must check the signal between frames and call `progress` after each
   * frame, because a render without progress is aborted.
   */
  render(request: Request, tools: RenderTools, signal: AbortSignal, progress: () => void): Promise<Result>;
}
