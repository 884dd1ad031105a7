import { MediaApiRefusal, isMediaApiError } from '../../../media-api/errors.ts';
import type { JobFailure } from '../cards.ts';
import { type Failed, failUncharged, isKeyRefused } from './step.ts';

const ATTEMPTS_MIN = 3;

/** Ends a job whose inputs could not be brought to the service in time: nothing was submitted yet. */
export const notPrepared: Failed = (job, error, run) => {
  const ageMs = run.clock.now() - (job.confirmed_at_ms ?? job.accepted_at_ms);
  const limitMs = isKeyRefused(error) ? run.limits.submitMsMax : run.limits.prepareMsMax;
  // Most of its age may have gone by in line.
  if (ageMs <= limitMs || job.attempts < ATTEMPTS_MIN) return undefined;
  return failUncharged(job, failureOf(error), run);
};

/** How a job that never reached the service is explained. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof MediaApiRefusal) return { reason: 'service_refused', code: meaningOf(error) };
  return { reason: isMediaApiError(error) ? 'service_unreachable' : 'internal' };
}

/** With 502, `capability_unavailable` says that there is no room, and not that it is switched off. */
function meaningOf({ retry, code }: MediaApiRefusal): string {
  return retry === 'soon' ? 'at_capacity' : code;
}
