import { MediaApiRefusal, isMediaApiError } from '../../../media-api/errors.ts';
import type { JobFailure } from '../cards.ts';

/** Returns why a job that never reached the service ended, based on the `error` from its last attempt. */
export function unsentFailure(error: unknown): JobFailure {
  if (error instanceof MediaApiRefusal) return { reason: 'service_refused', code: meaningOf(error) };
  return { reason: isMediaApiError(error) ? 'service_unreachable' : 'internal' };
}

/** With status 502, `capability_unavailable` means that there is no room, not that the capability is switched off. */
function meaningOf({ retry, code }: MediaApiRefusal): string {
  return retry === 'soon' ? 'at_capacity' : code;
}
