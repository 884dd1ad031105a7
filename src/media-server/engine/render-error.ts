import { ServiceError } from '../../base/errors.ts';
import type { JobErrorCode } from '../../media-api/wire.ts';

/** A render ended without a result. `code` is the job's public error code. */
export class RenderError extends ServiceError<JobErrorCode> {}
