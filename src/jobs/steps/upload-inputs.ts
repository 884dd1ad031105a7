import type { JobInputRow } from '../../../db/schema.ts';
import { updateJobInput } from '../../../db/queries/job-inputs.ts';
import { MediaApiRefusal } from '../../media-api/errors.ts';
import { type Step, type StepRun, failUncharged, isKeyRefused, logRefusal, showStage } from '../step.ts';
import { failureOf } from './not-prepared.ts';

/** fetched -> uploaded: each input becomes a `file_key`. A repeat uploads only what has none yet. */
export const uploadInputs: Step = async (job, inputs, run) => {
  showStage(job, 'uploading', run);
  try {
    for (const input of inputs) {
      if (input.file_key === null) await uploadOne(input, run);
    }
    return { kind: 'advance', to: 'uploaded' };
  } catch (error) {
    if (!(error instanceof MediaApiRefusal) || error.retry !== 'never' || isKeyRefused(error)) throw error;
    logRefusal(job, error, run);
    return failUncharged(job, failureOf(error), run);
  }
};

async function uploadOne(input: JobInputRow, run: StepRun): Promise<void> {
  const { path, mime, extension, size_bytes: sizeBytes } = input;
  if (path === null || mime === null || extension === null || sizeBytes === null) {
    throw new TypeError('Cannot upload an input that was not fetched');
  }
  const upload = await run.api.uploads.create(
    { path, mime, extension, sizeBytes },
    { signal: run.signal, priority: 'interactive' },
  );
  await updateJobInput(
    run.db.kysely,
    { jobId: input.job_id, field: input.field },
    { file_key: upload.fileKey },
  );
}
