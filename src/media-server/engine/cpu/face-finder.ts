import { z } from 'zod';
import type { RenderTask } from './cpu-worker.ts';
import { startRenderPool } from './cpu-engines.ts';
import type { Face } from '../face/face.ts';

/** Finds faces in picture files, in another process. */
export interface FaceFinder extends AsyncDisposable {
  /**
   * Returns all faces in the upright picture at `path`, largest first. Throws `RenderError` if it cannot be
   * decoded.
   */
  find(path: string, signal?: AbortSignal): Promise<Face[]>;
}

/**
 * Creates a finder with its own worker. Throws an error that names the package if an optional package is
 * missing.
 */
export async function createFaceFinder(): Promise<FaceFinder> {
  const pool = await startRenderPool({ workers: 1 });
  return {
    async find(path, signal = new AbortController().signal) {
      const task: RenderTask = { kind: 'find_faces', request: { path } };
      return facesSchema.parse(await pool.run(task, signal));
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

const facesSchema: z.ZodType<Face[]> = z.array(
  z.object({
    box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
    landmarks: z.instanceof(Float32Array),
    score: z.number(),
    yawDegrees: z.number(),
  }),
);
