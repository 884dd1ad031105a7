import { ServiceError } from '../../../base/errors.ts';

/**
 * `malformed`: the bytes are not such a message. `invalid`: well formed, but not allowed. `late`: for another epoch, or
 * without a proposal that was made in the meantime. Well-behaved clients also send late messages if several send at the
 * same time.
 */
type MlsErrorCode = 'malformed' | 'invalid' | 'late';

/** The voice server rejects a message of a client. */
export class MlsError extends ServiceError<MlsErrorCode> {}
