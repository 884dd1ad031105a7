import { extname } from 'node:path';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { pathExists } from '../../../base/path-exists.ts';
import type { ResultFile } from '../cards.ts';

/** Returns the file name under which members get a job's result; `undefined` if no result is kept. */
export function resultFileName(job: JobRow): string | undefined {
  return job.result_path === null ? undefined : fileName(job, job.result_path);
}

/** Returns the kept result if it fits, otherwise the smaller copy for the chat; `undefined` if neither fits. */
export async function fittingFile(
  job: JobRow,
  bytesMax: number,
): Promise<{ readonly file: ResultFile; readonly isSmaller: boolean } | undefined> {
  const { result_path: path, result_mime: mime, chat_path: chatPath, chat_mime: chatMime } = job;
  if (path !== null && mime !== null && (job.result_bytes ?? Infinity) <= bytesMax) {
    return { file: { path, mime, name: fileName(job, path) }, isSmaller: false };
  }
  const isFit = job.attachment_size_limit_bytes <= bytesMax;
  if (chatPath === null || chatMime === null || !isFit || !(await pathExists(chatPath))) return undefined;
  return { file: { path: chatPath, mime: chatMime, name: fileName(job, chatPath) }, isSmaller: true };
}

function fileName(job: JobRow, path: string): string {
  return `${job.capability.replaceAll('_', '-')}${extname(path)}`;
}
