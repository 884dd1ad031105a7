import { ServiceError } from '../../../base/errors.ts';

/**
 * `malformed`: not the bytes of such a message. `invalid`: well formed, and not what may be said. `late`: of another epoch,
 * or without a proposal made meanwhile; what well-behaved clients say too, when several speak at once.
 */
type MlsErrorCode = 'malformed' | 'invalid' | 'late';

/** A message of a client that the voice server does not take. */
export class MlsError extends ServiceError<MlsErrorCode> {}
