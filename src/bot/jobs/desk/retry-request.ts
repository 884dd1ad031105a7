import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { pathExists } from '../../../base/path-exists.ts';
import { parseParameters } from '../inputs/parse-parameters.ts';
import type { InputRequest, InputSource } from '../inputs/inputs.ts';
import { capabilityOf } from '../steps/capability-of.ts';
import type { CallOrigin } from '../call-origin.ts';
import type { JobRequest } from '../job-request.ts';

/** Returns a request that repeats a job for the member of `origin`; `undefined` if its files are no longer kept. */
export async function retryRequest(
  origin: CallOrigin,
  job: JobRow,
  inputs: readonly JobInputRow[],
): Promise<JobRequest | undefined> {
  const again: InputRequest[] = [];
  for (const input of inputs) {
    const source = await sourceOf(input);
    if (!source) return undefined;
    again.push({ field: input.field, option: input.option_name, kind: input.kind, source });
  }
  return {
    ...origin,
    capability: capabilityOf(job),
    inputs: again,
    parameters: parseParameters(job.parameters),
    retryOf: job.id,
  };
}

/**
 * Returns the source of an input for the retry. A saved face is looked up again rather than taken from the job's copy,
 * because the face's owner may have deleted it since.
 */
async function sourceOf({
  job_id,
  field,
  source,
  source_id,
  path,
}: JobInputRow): Promise<InputSource | undefined> {
  if (source === 'saved_face' && source_id !== null) return { from: 'saved_face', faceId: source_id };
  if (path !== null && (await pathExists(path))) return { from: 'input', jobId: job_id, field };
  return undefined;
}
