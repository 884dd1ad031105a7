import type { Capability } from '../../media-api/wire.ts';
import type { InputRequest } from './inputs/inputs.ts';
import type { CallOrigin } from './call-origin.ts';

export interface JobRequest extends CallOrigin {
  readonly capability: Capability;
  readonly inputs: readonly InputRequest[];
  /** What the submit's body holds besides input keys, such as `{ output_resolution_p: 720 }`. */
  readonly parameters: JobParameters;
  /** The job that this is another try of. */
  readonly retryOf?: string;
}

export type JobParameters = Readonly<Record<string, string | number>>;
