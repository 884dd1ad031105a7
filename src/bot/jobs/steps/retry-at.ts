import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';

const RETRY: Backoff = { delayMsFirst: 1_000, delayMsMax: 60_000 };

/**
 * Returns when a step is tried again after `job.attempts` attempts (epoch milliseconds). The delay is 1 s, 2 s, 4 s and
 * so on, at most 60 s, and is randomly shortened by up to half.
 */
export function retryAt(job: JobRow, { clock }: { readonly clock: Clock }): number {
  return clock.now() + backoffMs(RETRY, job.attempts);
}
