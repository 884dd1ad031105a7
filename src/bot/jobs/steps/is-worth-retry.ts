import { unreachable } from '../../../base/errors.ts';
import type { JobFailure } from '../cards.ts';

/** Error codes that the service would return again for the same files. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'content_rejected',
  'face_not_detected',
  'unsupported_format',
  'input_too_large',
  'invalid_input',
]);

/** Returns whether a retry with the same files may have a different outcome. */
export function isWorthRetry(failure: JobFailure): boolean {
  switch (failure.reason) {
    case 'job':
    case 'service_refused':
      return !FINAL_CODES.has(failure.code);
    case 'service_unreachable':
    case 'internal':
    case 'result_lost':
    case 'cancelled':
    case 'budget':
    case 'not_confirmed':
    case 'overrun_unseen':
      return true;
    // In the first two cases, the same file would fail again. An unconfirmed job may still be running and must not run
    // twice.
    case 'input':
    case 'crashed':
    case 'unconfirmed':
      return false;
    default:
      return unreachable(failure);
  }
}
