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
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import { refitHold } from './fit-hold.ts';
import { type Step, type StepRun, failUncharged, isKeyRefused, logRefusal, showStage } from './step.ts';
import { mustAsk } from './ask-price.ts';
import { failureOf } from './not-prepared.ts';

/**
 * fetched -> uploaded: each input becomes a `file_key`. A repeat uploads only what has none yet, and what the same
 * member uploaded a while ago is used again. If the rate card has changed since the hold was fitted, the hold changes
 * first, or the job ends for lack of budget; a price above the one that was agreed may have to be asked about again.
 */
export const uploadInputs: Step = async (job, inputs, run) => {
  const hold = await refitHold(job, inputs, run);
  if (!hold.fits) {
    const { price, needed, lengths, cap } = hold;
    return failUncharged(job, { reason: 'budget', price, needed, lengths, cap }, run);
  }
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
    return failUncharged(job, failureOf(error), run);
  }
};

/**
 * Within one member's files only: whether somebody else has uploaded the same picture is nobody's business, and
 * what is removed with a member's data must not be needed by another.
 */
async function useAgain(job: JobRow, input: JobInputRow, run: StepRun): Promise<boolean> {
  if (input.reuse === 'refused') return false;
  const sinceMs = run.clock.now() - run.limits.uploadReuseMs;
  const owner = { userId: job.user_id, sha256: fetchedFile(input).sha256 };
  const fileKey = await findKeptUpload(run.db.kysely, { ...owner, sinceMs });
  if (fileKey === undefined) return false;
  const key = { jobId: job.id, field: input.field };
  await updateJobInput(run.db.kysely, key, { file_key: fileKey, reuse: 'used' });
  return true;
}

/**
 * Uploads carry no idempotency key, so each try that ends without an answer may leave a file behind that nobody
 * has the key of. They are counted, also over restarts; false when there are too many of them.
 */
async function upload(job: JobRow, input: JobInputRow, run: StepRun): Promise<boolean> {
  const { db, clock, limits, api, signal } = run;
  const { sha256, ...file } = fetchedFile(input);
  const of = { jobId: job.id, field: input.field };
  const begun = { ...of, userId: job.user_id, sha256, nowMs: clock.now() };
  // Those of a process that died.
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
