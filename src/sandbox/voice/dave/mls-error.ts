import { ServiceError } from '../../../base/errors.ts';

/**
 * `malformed`: the bytes are not a message of the expected type. `invalid`: well formed, but not allowed. `late`: meant
 * for another epoch, for example, or for proposals that are no longer current. Even well-behaved clients send late
 * messages when several of them send at the same time.
 */
type MlsErrorCode = 'malformed' | 'invalid' | 'late';

/** The voice server rejects a client's message. */
export class MlsError extends ServiceError<MlsErrorCode> {}
