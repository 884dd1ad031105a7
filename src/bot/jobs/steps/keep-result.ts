import { rename, stat } from 'node:fs/promises';
import type { StepPatch } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Logger } from '../../../base/log.ts';
import type { MediaType } from '../../../base/media-type.ts';
import type { Capability } from '../../../media-api/wire.ts';
import type { SourceType } from '../../media/marks/source-type.ts';
import type { MediaPool } from '../../media/pool/media-pool.ts';
import type { JobFiles } from '../results/job-files.ts';
import { capabilityOf } from './capability-of.ts';
import type { StepControl } from './step.ts';

export interface KeepResultTools {
  readonly media: Pick<MediaPool, 'mark' | 'fit'>;
  readonly files: Pick<JobFiles, 'chatPath'>;
  readonly log: Logger;
}

type KeepResultRun = KeepResultTools & Pick<StepControl, 'signal'>;

/**
 * How a model was involved in a result: it made everything that is visible, or parts of a recording (`composite...`).
 * The values are defined by the IPTC.
 */
const SOURCES: Readonly<Record<Capability, SourceType>> = {
  photo_swap: 'compositeWithTrainedAlgorithmicMedia',
  video_swap: 'compositeWithTrainedAlgorithmicMedia',
  identity_swap: 'compositeWithTrainedAlgorithmicMedia',
  lip_sync: 'compositeWithTrainedAlgorithmicMedia',
  motion_transfer: 'trainedAlgorithmicMedia',
  avatar: 'trainedAlgorithmicMedia',
};

/** The largest request that Discord accepts, whatever file size the channel allows. */
const REQUEST_BYTES_MAX = 25 * 1024 * 1024;
/** The space to reserve for the copy's metadata and for the other parts of the request. */
const ROOM_BYTES = 16 * 1024;

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/webp', 'webp'],
  ['video/mp4', 'mp4'],
]);

/**
 * Marks the collected file at `path` as made by a model, gives it the file extension for its type, and makes a smaller
 * copy if the chat would not accept it. Repeated calls have the same effect.
 */
export async function keepResult(
  job: JobRow,
  { path, type }: { readonly path: string; readonly type: MediaType },
  run: KeepResultRun,
): Promise<StepPatch> {
  await mark(job, { path, mime: type.mime }, run);
  const kept = `${path}.${type.extension}`;
  await rename(path, kept);
  const { size } = await stat(kept);
  const copy = await chatCopy(job, { path: kept, sizeBytes: size, kind: type.kind }, run);
  return { result_path: kept, result_bytes: size, result_mime: type.mime, ...copy };
}

async function mark(
  job: JobRow,
  { path, mime }: { readonly path: string; readonly mime: string },
  { media, log, signal }: KeepResultRun,
): Promise<void> {
  const source = { mime, type: SOURCES[capabilityOf(job)] };
  const marked = await media.mark(path, source, signal, job.guild_id);
  if (marked !== 'marked') {
    log.warn({ jobId: job.id, mime, marked }, 'A result cannot be marked as made by a model');
  }
}

async function chatCopy(
  job: JobRow,
  kept: { readonly path: string; readonly sizeBytes: number; readonly kind: MediaType['kind'] },
  run: KeepResultRun,
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
  await mark(job, { path: toPath, mime: fitted.mime }, run);
  const path = `${toPath}.${EXTENSIONS.get(fitted.mime) ?? 'bin'}`;
  await rename(toPath, path);
  return { chat_path: path, chat_mime: fitted.mime };
}
