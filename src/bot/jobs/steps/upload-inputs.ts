import type { Database } from '../../../../db/database.ts';
import { updateJobInput } from '../../../../db/queries/job-inputs.ts';
import {
  addOrphans,
  beginUpload,
  countOrphans,
  dropUpload,
  findKeptUpload,
  keepUpload,
  orphanUploads,
} from '../../../../db/queries/uploads.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import type { JobLimits } from '../job-limits.ts';
import { type FailUnchargedTools, failUncharged } from './fail-uncharged.ts';
import { type FitHoldTools, refitHold } from './fit-hold.ts';
import { type LogRefusalTools, isKeyRefused, logRefusal } from './log-refusal.ts';
import { mustAsk } from './must-ask.ts';
import { type ShowStageTools, showStage } from './show-stage.ts';
import type { Step, StepControl } from './step.ts';
import { unsentFailure } from './unsent-failure.ts';

interface UploadTools {
  readonly db: Database;
  readonly api: Pick<MediaApi, 'uploads'>;
  readonly limits: Pick<JobLimits, 'uploadReuseMs' | 'orphansMax'>;
  readonly clock: Clock;
}

export type UploadInputsTools = UploadTools &
  FitHoldTools &
  FailUnchargedTools &
  LogRefusalTools &
  ShowStageTools;

/**
 * fetched -> uploaded: uploads each input and stores its `file_key`. A repeated run uploads only inputs without a key,
 * and a recent upload of the same file by the same member is reused. If the rate card has changed since the hold was
 * last changed, the hold is adjusted first; if the budget does not allow that, the job ends. If the new price is higher
 * than the agreed one, the member may be asked again.
 */
export const uploadInputs: Step<UploadInputsTools> = async (job, inputs, run) => {
  const hold = await refitHold(job, inputs, run);
  if (!hold.fits) return failUncharged(job, hold.failure, run);
  const priced = { hold_micros: hold.held, quote_micros: hold.price };
  const agreed = job.quote_micros ?? job.hold_micros;
  if (hold.price > agreed && (await mustAsk(job, hold.price, run))) {
    const asked = { asked_at_ms: run.clock.now(), confirmed_at_ms: null };
    return { kind: 'advance', to: 'fetched', patch: { ...priced, ...asked } };
  }
  showStage(job, 'uploading', run);
  try {
    for (const input of inputs) {
      if (input.kind === 'text' || input.file_key !== null) continue;
      if (await useAgain(job, input, run)) continue;
      if (!(await upload(job, input, run))) return failUncharged(job, { reason: 'service_unreachable' }, run);
    }
    return { kind: 'advance', to: 'uploaded', patch: priced };
  } catch (error) {
    if (!(error instanceof MediaApiRefusal) || error.retry !== 'never' || isKeyRefused(error)) throw error;
    logRefusal(job, error, run);
    return failUncharged(job, unsentFailure(error), run);
  }
};

/**
 * Reuses an earlier upload of the same file by the same member, if there is one. Another member's upload is never used,
 * because that would reveal that the other member has the same picture, and the removal of one member's data must not
 * affect another member.
 */
async function useAgain(job: JobRow, input: JobInputRow, tools: UploadTools): Promise<boolean> {
  if (input.reuse === 'refused') return false;
  const sinceMs = tools.clock.now() - tools.limits.uploadReuseMs;
  const owner = { userId: job.user_id, sha256: fetchedFile(input).sha256 };
  const fileKey = await findKeptUpload(tools.db.kysely, { ...owner, sinceMs });
  if (fileKey === undefined) return false;
  const key = { jobId: job.id, field: input.field };
  await updateJobInput(tools.db.kysely, key, { file_key: fileKey, reuse: 'used' });
  return true;
}

/**
 * Uploads a file. Uploads have no idempotency key, so each attempt that ends without a response may leave a file with
 * an unknown key at the service. Such files are counted, even across restarts. Returns false if there are too many of
 * them.
 */
async function upload(
  job: JobRow,
  input: JobInputRow,
  run: UploadTools & Pick<StepControl, 'signal'>,
): Promise<boolean> {
  const { db, clock, limits, api, signal } = run;
  const { sha256, ...file } = fetchedFile(input);
  const of = { jobId: job.id, field: input.field };
  const begun = { ...of, userId: job.user_id, sha256, nowMs: clock.now() };
  // Uploads that were unfinished when a process died also count.
  await orphanUploads(db.kysely, of);
  if ((await countOrphans(db.kysely, of)) >= limits.orphansMax) return false;
  const id = await beginUpload(db.kysely, begun);
  let uncertain = 0;
  const onUncertain = (): void => void (uncertain += 1);
  const options = { signal, priority: 'interactive', onUncertain } as const;
  const { fileKey } = await api.uploads.create(file, options).catch(async (error: unknown) => {
    await dropUpload(db.kysely, id);
    await addOrphans(db.kysely, begun, uncertain);
    throw error;
  });
  await db.transaction(`guild:${job.guild_id}`, async (trx) => {
    await addOrphans(trx, begun, uncertain);
    await keepUpload(trx, id, fileKey);
    await updateJobInput(trx, of, { file_key: fileKey });
  });
  return true;
}

interface FetchedFile {
  readonly path: string;
  readonly mime: string;
  readonly extension: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

function fetchedFile(input: JobInputRow): FetchedFile {
  const { path, mime, extension, sha256, size_bytes: sizeBytes } = input;
  if (path === null || mime === null || extension === null || sha256 === null || sizeBytes === null) {
    throw new TypeError('Cannot upload an input that was not fetched');
  }
  return { path, mime, extension, sha256, sizeBytes };
}
