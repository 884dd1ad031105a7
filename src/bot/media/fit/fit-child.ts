import { z } from 'zod';
import { serveLines } from '../../../base/children/serve-lines.ts';
import { fitPicture } from './fit-picture.ts';
import type { FitTask, Fitted } from './fit-task.ts';
import { shrinkClip } from './shrink-clip.ts';

const fitTask: z.ZodType<FitTask> = z.object({
  kind: z.enum(['image', 'video']),
  path: z.string(),
  toPath: z.string(),
  bytesMax: z.number().positive(),
});

serveLines(async (given): Promise<Fitted | null> => {
  const task = fitTask.parse(given);
  if (task.kind === 'image') return (await fitPicture(task)) ?? null;
  return (await shrinkClip(task)) ? { mime: 'video/mp4' } : null;
});
