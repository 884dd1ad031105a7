import type { z } from 'zod';
import type { Codec } from './codec/codec.ts';
import type { FaceReader } from './face/face-reader.ts';
import type { PictureFiles } from './photo/picture-file.ts';

/** What a worker has loaded for all its renders. */
export interface RenderTools {
  readonly files: PictureFiles;
  readonly reader: FaceReader;
  /** Loads the codec when first asked for. Throws when there is none. */
  codec(): Promise<Codec>;
}

/** One kind of task that workers do. */
export interface Renderer<Request, Result> {
  readonly request: z.ZodType<Request>;
  /**
   * Throws `RenderError`. Must look at the signal between frames, and call `progress` after each: a render that
   * stays silent for too long is given up.
   */
  render(request: Request, tools: RenderTools, signal: AbortSignal, progress: () => void): Promise<Result>;
}
