import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { pathExists } from '../../../base/path-exists.ts';
import { parseParameters } from '../inputs/parameters.ts';
import type { InputRequest, InputSource } from '../inputs/inputs.ts';
import { capabilityOf } from '../steps/step.ts';
import type { CallOrigin } from '../call-origin.ts';
import type { JobRequest } from '../job-request.ts';

/** The same job once more, for whoever asks now; undefined when its files are not kept any more. */
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

/** A face that was saved is asked for again: who took it back since does not lend it any more. */
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
