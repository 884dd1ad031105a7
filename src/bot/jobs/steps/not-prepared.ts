import type { Clock } from '../../../base/clock.ts';
import type { JobLimits } from '../job-limits.ts';
import { type FailUnchargedTools, failUncharged } from './fail-uncharged.ts';
import { isKeyRefused } from './log-refusal.ts';
import type { Failed } from './step.ts';
import { unsentFailure } from './unsent-failure.ts';

export interface NotPreparedTools extends FailUnchargedTools {
  readonly clock: Clock;
  readonly limits: Pick<JobLimits, 'prepareMsMax' | 'submitMsMax'>;
}

const ATTEMPTS_MIN = 3;

/** Ends a job whose inputs could not be fetched and uploaded in time. Nothing has been submitted yet. */
export const notPrepared: Failed<NotPreparedTools> = (job, error, tools) => {
  const ageMs = tools.clock.now() - (job.confirmed_at_ms ?? job.accepted_at_ms);
  const limitMs = isKeyRefused(error) ? tools.limits.submitMsMax : tools.limits.prepareMsMax;
  // The job may have waited in line for most of the time limit, so it gets a few attempts in any case.
  if (ageMs <= limitMs || job.attempts < ATTEMPTS_MIN) return undefined;
  return failUncharged(job, unsentFailure(error), tools);
};
