import type { NewJobInput } from '../../../../db/schema/job-inputs.ts';
import { unreachable } from '../../../base/errors.ts';
import type { InputRequest, InputSource } from './inputs.ts';

/** Returns the rows that store the inputs of an accepted job. */
export function inputRows(jobId: string, inputs: readonly InputRequest[]): NewJobInput[] {
  return inputs.map((input) => ({
    job_id: jobId,
    field: input.field,
    option_name: input.option,
    kind: input.kind,
    ...sourceColumns(input.source),
  }));
}

function sourceColumns(
  source: InputSource,
): Pick<NewJobInput, 'source' | 'source_id' | 'url' | 'size_bytes'> {
  switch (source.from) {
    case 'chat':
      return { source: 'chat', source_id: null, url: source.url, size_bytes: source.sizeBytes };
    case 'newest':
      return { source: 'newest', source_id: null, url: '', size_bytes: null };
    case 'saved_face':
      return { source: 'saved_face', source_id: source.faceId, url: '', size_bytes: null };
    case 'result':
      return { source: 'result', source_id: source.jobId, url: '', size_bytes: null };
    case 'input':
      return { source: 'input', source_id: `${source.jobId}/${source.field}`, url: '', size_bytes: null };
    default:
      return unreachable(source);
  }
}
