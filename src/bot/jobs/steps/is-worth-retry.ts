import { unreachable } from '../../../base/errors.ts';
import type { JobFailure } from '../cards.ts';

/** The codes with which the service would refuse the same files again. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'content_rejected',
  'face_not_detected',
  'unsupported_format',
  'input_too_large',
  'invalid_input',
]);

/** Whether a retry with the same files may have a different outcome. */
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
    // The same file would fail again, and a job that may still be running must not be started twice.
    case 'input':
    case 'crashed':
    case 'unconfirmed':
      return false;
    default:
      return unreachable(failure);
  }
}
