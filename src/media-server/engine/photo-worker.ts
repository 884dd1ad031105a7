import { z } from 'zod';
import { PhotoRenderer } from './photo-renderer.ts';
import { type TaskResult, serveTasks } from './pool/serve-tasks.ts';

/** What this worker does: `swap` answers an `EncodedPicture`, `find` a list of `Face`. */
export type PhotoTask =
  | { readonly kind: 'swap'; readonly imagePath: string; readonly facePath: string }
  | { readonly kind: 'find'; readonly path: string };

const taskSchema: z.ZodType<PhotoTask> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('swap'), imagePath: z.string(), facePath: z.string() }),
  z.object({ kind: z.literal('find'), path: z.string() }),
]);

await serveTasks(async () => {
  const renderer = await PhotoRenderer.load();
  return async (input): Promise<TaskResult> => {
    const task = taskSchema.parse(input);
    if (task.kind === 'find') return { result: await renderer.find(task.path) };
    const { bytes, ...rest } = await renderer.swap(task.imagePath, task.facePath);
    const owned = Uint8Array.from(bytes);
    return { result: { bytes: owned, ...rest }, transfer: [owned.buffer] };
  };
});
