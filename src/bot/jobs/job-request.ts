import type { Capability } from '../../media-api/wire.ts';
import type { InputRequest } from './inputs/inputs.ts';
import type { CallOrigin } from './call-origin.ts';

/** A request for a job. */
export interface JobRequest extends CallOrigin {
  readonly capability: Capability;
  readonly inputs: readonly InputRequest[];
  /** The fields of the submitted body other than input keys, such as `{ output_resolution_p: 720 }`. */
  readonly parameters: JobParameters;
  /** The id of the job that this request repeats. */
  readonly retryOf?: string;
}

export type JobParameters = Readonly<Record<string, string | number>>;
