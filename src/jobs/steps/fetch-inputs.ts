import { copyFile } from 'node:fs/promises';
import type { JobInputRow, JobRow } from '../../../db/schema.ts';
import { listJobInputs, updateJobInput } from '../../../db/queries/job-inputs.ts';
import { ServiceError } from '../../base/errors.ts';
import { sniffFile } from '../../base/media-type.ts';
import { pathExists } from '../../base/path-exists.ts';
import { checkPicture } from '../../media/picture-check.ts';
import type { InputFetchFailure, InputProblem } from '../ports.ts';
import { type Step, type StepRun, failUncharged, showStage } from '../step.ts';

/** accepted -> fetched: brings the member's files from the chat's CDN and believes only their bytes. */
export const fetchInputs: Step = async (job, inputs, run) => {
  showStage(job, 'fetching', run);
  for (const input of inputs) {
    if (input.sha256 !== null) continue;
    const problem = await fetchOne(job, input, run);
    if (problem) return failUncharged(job, { reason: 'input', option: input.option_name, problem }, run);
  }
  return { kind: 'advance', to: 'fetched' };
};

async function fetchOne(job: JobRow, input: JobInputRow, run: StepRun): Promise<InputProblem | undefined> {
  if (input.source === 'input') return copyKept(job, input, run);
  if (input.source !== 'chat' || input.kind === 'text') {
    throw new TypeError(`Cannot fetch a ${input.kind} of source "${input.source}"`);
  }
  const toPath = run.files.inputPath(job.id, input.field);
  const sizeBytesMax = run.limits.inputBytesMax[input.kind];
  try {
    const fetched = await run.fetcher.fetch({ url: input.url, toPath, sizeBytesMax }, run.signal);
    const type = await sniffFile(toPath);
    if (type?.kind !== input.kind) return { kind: 'wrong_type', expected: input.kind };
    const problem = type.kind === 'image' ? await checkPicture(toPath, run.limits.megapixelsMax) : undefined;
    if (problem) return problem;
    await updateJobInput(
      run.db.kysely,
      { jobId: job.id, field: input.field },
      {
        path: toPath,
        sha256: fetched.sha256,
        size_bytes: fetched.sizeBytes,
        mime: type.mime,
        extension: type.extension,
      },
    );
    return undefined;
  } catch (error) {
    const isLate = run.clock.now() - job.accepted_at_ms > run.limits.prepareMsMax;
    if (isFetchFailure(error) && (!error.retryable || isLate)) return error.problem;
    throw error;
  }
}

/** The input of an earlier job, which was looked into when it came. */
async function copyKept(job: JobRow, input: JobInputRow, run: StepRun): Promise<InputProblem | undefined> {
  const [jobId = '', field = ''] = (input.source_id ?? '').split('/');
  const kept = (await listJobInputs(run.db.kysely, jobId)).find((earlier) => earlier.field === field);
  if (!kept || kept.path === null || !(await pathExists(kept.path))) return { kind: 'missing' };
  const path = run.files.inputPath(job.id, input.field);
  await copyFile(kept.path, path);
  const { sha256, size_bytes, mime, extension } = kept;
  const patch = { path, sha256, size_bytes, mime, extension };
  await updateJobInput(run.db.kysely, { jobId: job.id, field: input.field }, patch);
  return undefined;
}

function isFetchFailure(error: unknown): error is InputFetchFailure {
  return error instanceof ServiceError && 'problem' in error && 'retryable' in error;
}
