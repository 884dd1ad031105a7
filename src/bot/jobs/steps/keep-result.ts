import { rename, stat } from 'node:fs/promises';
import type { StepPatch } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { MediaType } from '../../../base/media-type.ts';
import type { SourceType } from '../../media/marks/source-type.ts';
import type { Capability } from '../../../media-api/wire.ts';
import { type StepRun, capabilityOf } from './step.ts';

/** How much of a result a model made: all that is seen, or parts of a recording. */
const SOURCES: Readonly<Record<Capability, SourceType>> = {
  photo_swap: 'compositeWithTrainedAlgorithmicMedia',
  video_swap: 'compositeWithTrainedAlgorithmicMedia',
  identity_swap: 'compositeWithTrainedAlgorithmicMedia',
  lip_sync: 'compositeWithTrainedAlgorithmicMedia',
  motion_transfer: 'trainedAlgorithmicMedia',
  avatar: 'trainedAlgorithmicMedia',
};

/** What Discord takes in one request at most, whatever the place allows for a file. */
const REQUEST_BYTES_MAX = 25 * 1024 * 1024;
/** For the mark of the copy, and for the request's other parts. */
const ROOM_BYTES = 16 * 1024;

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['video/mp4', 'mp4'],
]);

/**
 * Marks the collected file at `path` as made by a model, gives it its name, and makes a smaller copy where the chat
 * would not take it. A repeat does the same again.
 */
export async function keepResult(
  job: JobRow,
  path: string,
  type: MediaType,
  run: StepRun,
): Promise<StepPatch> {
  await mark(job, path, type.mime, run);
  const kept = `${path}.${type.extension}`;
  await rename(path, kept);
  const { size } = await stat(kept);
  const copy = await chatCopy(job, { path: kept, sizeBytes: size, kind: type.kind }, run);
  return { result_path: kept, result_bytes: size, result_mime: type.mime, ...copy };
}

async function mark(job: JobRow, path: string, mime: string, run: StepRun): Promise<void> {
  const source = { mime, type: SOURCES[capabilityOf(job)] };
  const marked = await run.media.mark(path, source, run.signal, job.guild_id);
  if (marked !== 'marked') {
    run.log.warn({ jobId: job.id, mime, marked }, 'A result cannot be marked as made by a model');
  }
}

async function chatCopy(
  job: JobRow,
  kept: { readonly path: string; readonly sizeBytes: number; readonly kind: MediaType['kind'] },
  run: StepRun,
): Promise<StepPatch> {
  const bytesMax = Math.min(job.attachment_size_limit_bytes, REQUEST_BYTES_MAX) - ROOM_BYTES;
  if (kept.sizeBytes <= bytesMax || kept.kind === 'audio') return {};
  const toPath = run.files.chatPath(job.id);
  const fitted = await run.media.fit(kept.kind, { path: kept.path, toPath, bytesMax }, run.signal);
  run.log.info(
    { jobId: job.id, sizeBytes: kept.sizeBytes, bytesMax, fits: fitted !== undefined },
    'A result is too large for the chat',
  );
  if (!fitted) return {};
  await mark(job, toPath, fitted.mime, run);
  const path = `${toPath}.${EXTENSIONS.get(fitted.mime) ?? 'bin'}`;
  await rename(toPath, path);
  return { chat_path: path, chat_mime: fitted.mime };
}
