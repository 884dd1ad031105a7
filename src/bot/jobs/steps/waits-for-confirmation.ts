import type { JobRow } from '../../../../db/schema/jobs.ts';

/** Returns whether the job is waiting for its member to confirm the price. */
export function waitsForConfirmation(job: JobRow): boolean {
  return job.stage === 'fetched' && job.asked_at_ms !== null && job.confirmed_at_ms === null;
}
