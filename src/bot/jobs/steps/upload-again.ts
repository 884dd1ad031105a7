import { updateJobInput } from '../../../../db/queries/job-inputs.ts';
import { rejectUploads } from '../../../../db/queries/uploads.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { derivedId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import type { StepResult } from './step.ts';

/**
 * Returns whether the service may have refused a submission because it no longer has a file that an earlier job
 * uploaded.
 */
export function mayLackFile(error: unknown, inputs: readonly JobInputRow[]): boolean {
  const isRefused =
    error instanceof MediaApiRefusal && error.status === 400 && error.code === 'invalid_input';
  return isRefused && !error.ambiguous && inputs.some((input) => input.reuse === 'used');
}

/**
 * Sends a job back to the upload step, at most once. The job then no longer uses file keys from earlier jobs. Its body
 * and idempotency key change, so this is allowed only if no attempt with the old key can have left a job at the
 * service.
 */
export function uploadAgain(
  job: JobRow,
  inputs: readonly JobInputRow[],
  { log }: { readonly log: Logger },
): StepResult {
  log.info(
    { jobId: job.id },
    'The service does not accept the file key of an earlier job; the file is uploaded again',
  );
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
