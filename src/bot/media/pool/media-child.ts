import sharp from 'sharp';
import { serveLines } from '../../../base/children/serve-lines.ts';
import { sniffFile } from '../../../base/media-type.ts';
import { admit } from '../admit.ts';
import { cleanFace, previewOf } from '../face-picture.ts';
import { markFile } from '../marks/mark-file.ts';
import { MediaError } from '../media-error.ts';
import { type MediaAnswers, type MediaTask, mediaTask } from './media-task.ts';

/** The parent kills the whole process if the result is no longer needed, so nothing else aborts a task. */
const NEVER = new AbortController().signal;

// The child handles one file at a time. libvips must not cache by file name, because a later file may have the same
// name.
sharp.concurrency(1);
sharp.cache(false);

serveLines(async (given) => {
  try {
    return { answer: await answerTo(mediaTask.parse(given)) };
  } catch (error) {
    if (error instanceof MediaError) return { problem: error.problem };
    throw error;
  }
});

async function answerTo(task: MediaTask): Promise<MediaAnswers[MediaTask['what']]> {
  switch (task.what) {
    case 'admit':
      return admit(task.path, task.kind, task.limits, NEVER);
    case 'sniff':
      return (await sniffFile(task.path)) ?? null;
    case 'mark':
      return markFile(task.path, task, NEVER);
    case 'clean_face':
      return { sizeBytes: await cleanFace(task.path, task.toPath) };
    case 'preview_face':
      return { base64: Buffer.from(await previewOf(task.path)).toString('base64') };
  }
}
