import type { StepPatch } from '../../../db/queries/jobs.ts';
import type { JobRow } from '../../../db/schema.ts';
import { MediaApiRefusal } from '../../media-api/errors.ts';
import { type Job, isTerminal } from '../../media-api/job.ts';
import { closeDeliveriesOfJob } from '../../../db/queries/webhook-deliveries.ts';
import { nextPollAt } from '../polling.ts';
import { type Step, type StepResult, type StepRun, leaveForReview } from '../step.ts';

/**
 * submitted -> finished: sees the end of the job, told by a stored webhook or by asking. Both bring the same
 * observation and whichever comes first wins.
 */
export const watch: Step = async (job, _inputs, run) => {
  const observed = (await run.inbox.endToldFor(job)) ?? (await ask(job, run));
  if (observed === 'not_found') return unknownJob(job, run);
  const nowMs = run.clock.now();
  if (!isTerminal(observed)) return { kind: 'wait', atMs: nextPollAt(job, nowMs, run) };
  return {
    kind: 'advance',
    to: 'finished',
    patch: { ...ending(observed), finished_at_ms: nowMs },
    also: (trx) => closeDeliveriesOfJob(trx, job.callback_token, nowMs),
  };
};

/** What a terminal observation tells: the outcome, and the charge and the link if they are known yet. */
export function ending(observed: Job): StepPatch {
  const failed = observed.status === 'failed';
  return {
    service_status: observed.status,
    outcome: failed ? 'failed' : 'succeeded',
    failure: failed ? JSON.stringify({ reason: 'job', code: observed.error?.code ?? 'unknown' }) : null,
    output_url: observed.outputUrl,
    charged_micros: observed.charged,
  };
}

/** Asks the job endpoint, which is the source of truth. */
export async function ask(
  job: JobRow,
  run: StepRun,
  priority: 'poll' | 'reconcile' = 'poll',
): Promise<Job | 'not_found'> {
  if (job.service_job_id === null) throw new TypeError('Cannot ask for a job that was not submitted');
  try {
    return await run.api.jobs.get(
      { id: job.service_job_id, statusUrl: job.status_url },
      { signal: run.signal, priority },
    );
  } catch (error) {
    if (error instanceof MediaApiRefusal && error.code === 'not_found') return 'not_found';
    throw error;
  }
}

/** A 404 may pass (another replica, a key of another account), so the hold is only set aside after a while. */
function unknownJob(job: JobRow, run: StepRun): StepResult {
  const nowMs = run.clock.now();
  const ageMs = nowMs - (job.submitted_at_ms ?? job.accepted_at_ms);
  run.log.warn({ jobId: job.id, ageMs }, 'The service does not know a submitted job');
  if (ageMs < run.limits.unknownJobMs) return { kind: 'wait', atMs: nextPollAt(job, nowMs, run) };
  return leaveForReview(job, run);
}
