import { z } from 'zod';
import type { FitTask } from './fit-task.ts';
import { shrinkClip } from './shrink-clip.ts';

const task: z.ZodType<FitTask> = z.object({
  path: z.string(),
  toPath: z.string(),
  bytesMax: z.number().positive(),
});

/** How the process ends when the clip cannot be made small enough with acceptable loss. */
const UNFIT = 3;

// Without its parent nobody wants the clip.
process.once('disconnect', () => process.exit(1));
const isFit = await shrinkClip(task.parse(JSON.parse(process.argv[2] ?? '')));
process.exit(isFit ? 0 : UNFIT);
