import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { recordJobInput } from '../../../../db/queries/job-inputs.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { JobInputPatch, JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { MediaError } from '../../media/media-error.ts';
import type { MediaPool } from '../../media/pool/media-pool.ts';
import { admitText } from '../inputs/admit-text.ts';
import type { InputProblem } from '../inputs/inputs.ts';
import type { JobLimits } from '../job-limits.ts';
import type { JobFiles } from '../results/job-files.ts';
import { type BringInputTools, bringInput } from './bring-input.ts';
import { type FailUnchargedTools, failUncharged } from './fail-uncharged.ts';
import { type FindOverrunWatchTools, findOverrunWatch } from './find-overrun-watch.ts';
import { type FitHoldTools, fitHold } from './fit-hold.ts';
import { mustAsk } from './must-ask.ts';
import { type ShowStageTools, showStage } from './show-stage.ts';
import type { Step, StepControl } from './step.ts';

interface InspectTools {
  readonly media: Pick<MediaPool, 'admit'>;
  readonly limits: Pick<JobLimits, 'inputBytesMax' | 'inputSecondsMax' | 'megapixelsMax'>;
}

type FetchOneTools = BringInputTools &
  InspectTools & { readonly files: Pick<JobFiles, 'arrivalPath' | 'inputPath'> };

export type FetchInputsTools = FetchOneTools &
  FitHoldTools &
  FindOverrunWatchTools &
  FailUnchargedTools &
  ShowStageTools;

/**
 * accepted -> fetched: downloads the member's files, recognises them by their bytes, and removes their metadata, which
 * may contain personal data. The hold is then changed to the price for the measured lengths. If the guild requires
 * confirmation of a price this high, the member is asked next. If one of the member's earlier charges was far above its
 * hold, the job waits until that charge is reviewed.
 */
export const fetchInputs: Step<FetchInputsTools> = async (job, inputs, run) => {
  showStage(job, 'fetching', run);
  for (const input of inputs) {
    if (input.sha256 !== null) continue;
    const problem = await fetchOne(job, input, run);
    if (problem) return failUncharged(job, { reason: 'input', option: input.option_name, problem }, run);
  }
  const hold = await fitHold(job, run);
  if (!hold.fits) return failUncharged(job, hold.failure, run);
  const patch = { hold_micros: hold.held, quote_micros: hold.price };
  const waits = (await findOverrunWatch(job, run)) !== undefined || (await mustAsk(job, hold.price, run));
  const asked = waits ? { asked_at_ms: run.clock.now() } : {};
  return { kind: 'advance', to: 'fetched', patch: { ...patch, ...asked } };
};

/**
 * Fetches one input. Its file is moved to the final path only after it has been inspected and cleaned, so a file that
 * exists there can be used.
 */
async function fetchOne(
  job: JobRow,
  input: JobInputRow,
  run: FetchOneTools & Pick<StepControl, 'signal'>,
): Promise<InputProblem | undefined> {
  const arrival = run.files.arrivalPath(job.id, input.field);
  const path = run.files.inputPath(job.id, input.field);
  try {
    const problem = await bringInput({ job, input, toPath: arrival }, run);
    if (problem) return problem;
    const { kind } = input;
    const inspected =
      kind === 'text' ? await inspectText(arrival) : await inspectMedia(job, { path: arrival, kind }, run);
    if ('problem' in inspected) return inspected.problem;
    await rename(arrival, path);
    const patch = { path, ...inspected.patch };
    if (await recordJobInput(run.db.kysely, { job, field: input.field }, patch)) return undefined;
    const now = await findJob(run.db.kysely, job.id);
    // If the job was cancelled or deleted during this download, this file must be removed like the job's other files.
    // Otherwise another worker has the job and is using this file.
    if (!now || now.taken_back !== null) await rm(path, { force: true });
    throw new Error('Cannot keep a file: its job was taken back or has another worker');
  } finally {
    await rm(arrival, { force: true });
  }
}

type Inspected = { readonly problem: InputProblem } | { readonly patch: JobInputPatch };

async function inspectMedia(
  job: JobRow,
  { path, kind }: { readonly path: string; readonly kind: 'image' | 'audio' | 'video' },
  run: InspectTools & Pick<StepControl, 'signal'>,
): Promise<Inspected> {
  const { inputBytesMax, inputSecondsMax, megapixelsMax } = run.limits;
  const durationSecondsMax = kind === 'image' ? 0 : inputSecondsMax[kind];
  const limits = { sizeBytesMax: inputBytesMax[kind], megapixelsMax, durationSecondsMax };
  try {
    const { sha256, sizeBytes, mime, extension, durationSeconds } = await run.media.admit(
      path,
      kind,
      limits,
      run.signal,
      job.guild_id,
    );
    const durationMs = durationSeconds === null ? null : Math.ceil(durationSeconds * 1000);
    return { patch: { sha256, size_bytes: sizeBytes, mime, extension, duration_ms: durationMs } };
  } catch (error) {
    if (error instanceof MediaError) return { problem: error.problem };
    throw error;
  }
}

async function inspectText(path: string): Promise<Inspected> {
  const problem = await admitText(path);
  if (problem) return { problem };
  const bytes = await readFile(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { patch: { sha256, size_bytes: bytes.length, mime: 'text/plain', extension: 'txt' } };
}
