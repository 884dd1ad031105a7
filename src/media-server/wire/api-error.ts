import { ServiceError } from '../../base/errors.ts';
import type { ErrorEnvelope, HttpErrorCode } from '../../media-api/wire.ts';

/**
 * The HTTP status of each error code. An `internal_error` that the server raises deliberately has status 502
 * instead.
 */
export const HTTP_STATUS: Readonly<Record<HttpErrorCode, number>> = {
  unauthorized: 401,
  insufficient_balance: 402,
  invalid_input: 400,
  unsupported_format: 400,
  input_too_large: 400,
  capability_unavailable: 400,
  not_found: 404,
  rate_limited: 429,
  at_capacity: 429,
  capacity_unavailable: 502,
  capacity_warming: 502,
  internal_error: 500,
};

/** An error that the caller receives in the error envelope. Its message is public. */
export class ApiError extends ServiceError<HttpErrorCode> {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: HttpErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; raised?: boolean } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.status = code === 'internal_error' && options.raised ? 502 : HTTP_STATUS[code];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get envelope(): ErrorEnvelope {
    return { error: { code: this.code, message: this.message } };
  }
}

/** Returns an error for a field of the request that is invalid. */
export function invalidInput(message: string): ApiError {
  return new ApiError('invalid_input', message);
}
