import { extname } from 'node:path';
import { rm } from 'node:fs/promises';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { pathExists } from '../../../base/path-exists.ts';
import type { ResultFile } from '../cards.ts';

/** How a job's result is called for members; undefined when none is kept. */
export function resultFileName(job: JobRow): string | undefined {
  return job.result_path === null ? undefined : fileName(job, job.result_path);
}

/** The kept result, or the smaller copy of it that was made for the chat; of those the first that fits. */
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

/** Removes what is kept; what is not is left alone. */
export async function removeFiles(paths: readonly (string | null)[]): Promise<void> {
  for (const path of paths) if (path !== null) await rm(path, { force: true });
}

function fileName(job: JobRow, path: string): string {
  return `${job.capability.replaceAll('_', '-')}${extname(path)}`;
}
