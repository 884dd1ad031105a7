import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { recordJobInput } from '../../../../db/queries/job-inputs.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { JobInputPatch, JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { MediaError } from '../../media/media-error.ts';
import { fitHold } from './fit-hold.ts';
import { bring } from './bring-input.ts';
import type { InputProblem } from '../inputs/inputs.ts';
import { type Step, type StepRun, failUncharged, showStage } from './step.ts';
import { admitText } from '../inputs/admit-text.ts';
import { mustAsk, watchOf } from './ask-price.ts';

/**
 * accepted -> fetched: brings the member's files, believes only their bytes, and takes out what they tell of the
 * member. Then what they will cost is known better, and held; if it is much, the member is asked next. After a charge
 * far above its hold, the job waits until that charge is reviewed.
 */
export const fetchInputs: Step = async (job, inputs, run) => {
  showStage(job, 'fetching', run);
  for (const input of inputs) {
    if (input.sha256 !== null) continue;
    const problem = await fetchOne(job, input, run);
    if (problem) return failUncharged(job, { reason: 'input', option: input.option_name, problem }, run);
  }
  const hold = await fitHold(job, run);
  if (!hold.fits) {
    const { price, needed, lengths, cap } = hold;
    return failUncharged(job, { reason: 'budget', price, needed, lengths, cap }, run);
  }
  const patch = { hold_micros: hold.held, quote_micros: hold.price };
  const waits = (await watchOf(job, run)) !== undefined || (await mustAsk(job, hold.price, run));
  const asked = waits ? { asked_at_ms: run.clock.now() } : {};
  return { kind: 'advance', to: 'fetched', patch: { ...patch, ...asked } };
};

/** The file gets its place only when nothing is left to be done to it: what is there may be used. */
async function fetchOne(job: JobRow, input: JobInputRow, run: StepRun): Promise<InputProblem | undefined> {
  const arrival = run.files.arrivalPath(job.id, input.field);
  const path = run.files.inputPath(job.id, input.field);
  try {
    const problem = await bring(job, input, arrival, run);
    if (problem) return problem;
    const known =
      input.kind === 'text' ? await lookIntoText(arrival) : await lookInto(job, arrival, input.kind, run);
    if ('problem' in known) return known.problem;
    await rename(arrival, path);
    const patch = { path, ...known.patch };
    if (await recordJobInput(run.db.kysely, { job, field: input.field }, patch)) return undefined;
    const now = await findJob(run.db.kysely, job.id);
    // Its files were removed while this one was on its way. Otherwise another worker has it, and what is there.
    if (!now || now.taken_back !== null) await rm(path, { force: true });
    throw new Error('Cannot keep a file: its job is not at hand any more');
  } finally {
    await rm(arrival, { force: true });
  }
}

type Known = { readonly problem: InputProblem } | { readonly patch: JobInputPatch };

async function lookInto(
  job: JobRow,
  path: string,
  kind: 'image' | 'audio' | 'video',
  run: StepRun,
): Promise<Known> {
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

async function lookIntoText(path: string): Promise<Known> {
  const problem = await admitText(path);
  if (problem) return { problem };
  const bytes = await readFile(path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { patch: { sha256, size_bytes: bytes.length, mime: 'text/plain', extension: 'txt' } };
}
