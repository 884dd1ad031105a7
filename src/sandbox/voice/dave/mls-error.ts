import { ServiceError } from '../../../base/errors.ts';

/**
 * `malformed`: the bytes are not a message of the expected type. `invalid`: well formed, but not allowed. `late`: for
 * another epoch, or a commit that lacks a proposal made in the meantime. Even well-behaved clients send late messages
 * when several of them send at the same time.
 */
type MlsErrorCode = 'malformed' | 'invalid' | 'late';

/** The voice server rejects a client's message. */
export class MlsError extends ServiceError<MlsErrorCode> {}
