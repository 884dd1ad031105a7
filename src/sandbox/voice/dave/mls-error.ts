import { ServiceError } from '../../../base/errors.ts';

/**
 * `malformed`: the bytes are not a message of the expected type. `invalid`: well formed, but not allowed. `late`: for
 * example for another epoch, or for proposals that are no longer the current ones. Even well-behaved clients send late
 * messages when several of them send at the same time.
 */
type MlsErrorCode = 'malformed' | 'invalid' | 'late';

/** The voice server rejects a client's message. */
export class MlsError extends ServiceError<MlsErrorCode> {}
