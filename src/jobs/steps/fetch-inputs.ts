import type { JobInputRow, JobRow } from '../../../db/schema.ts';
import { updateJobInput } from '../../../db/queries/job-inputs.ts';
import { ServiceError } from '../../base/errors.ts';
import { sniffFile } from '../../base/media-type.ts';
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

function isFetchFailure(error: unknown): error is InputFetchFailure {
  return error instanceof ServiceError && 'problem' in error && 'retryable' in error;
}
