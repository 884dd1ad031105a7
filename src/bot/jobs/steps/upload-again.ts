import { updateJobInput } from '../../../../db/queries/job-inputs.ts';
import { rejectUploads } from '../../../../db/queries/uploads.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { derivedId } from '../../../base/ids.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import type { StepResult, StepRun } from './step.ts';

/** Whether the service may have refused a submit because it no longer has a file of an earlier job. */
export function mayLackFile(error: unknown, inputs: readonly JobInputRow[]): boolean {
  const isRefused =
    error instanceof MediaApiRefusal && error.status === 400 && error.code === 'invalid_input';
  return isRefused && !error.ambiguous && inputs.some((input) => input.reuse === 'used');
}

/**
 * The way back to the upload, once: no key of an earlier job is used any more. The body changes, and with it the
 * idempotency key: only for a job of which no try can have left anything under the first one.
 */
export function uploadAgain(job: JobRow, inputs: readonly JobInputRow[], run: StepRun): StepResult {
  run.log.info({ jobId: job.id }, 'The service does not take a file of an earlier job, it is uploaded again');
  return {
    kind: 'advance',
    to: 'fetched',
    patch: {
      request_body: null,
      idempotency_key: derivedId('intent', job.idempotency_key, 'uploaded again'),
    },
    also: async (trx) => {
      for (const { field, reuse, sha256 } of inputs) {
        if (reuse !== 'used' || sha256 === null) continue;
        await rejectUploads(trx, { userId: job.user_id, sha256 });
        await updateJobInput(trx, { jobId: job.id, field }, { file_key: null, reuse: 'refused' });
      }
    },
  };
}
