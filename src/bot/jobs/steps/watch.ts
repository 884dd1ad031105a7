import type { JobRow } from '../../../../db/schema/jobs.ts';
import { closeDeliveriesOfJob } from '../../../../db/queries/webhook-deliveries.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import { type Job, isTerminal } from '../../../media-api/job.ts';
import { ageMs, isStale, nextPollMs, pollPlan } from './poll-plan.ts';
import { type Failed, type Step, type StepResult, type StepRun, leaveForReview } from './step.ts';

/**
 * submitted -> finished: sees the end of the job, told by a stored webhook or by asking. Both bring the same
 * observation and whichever comes first wins.
 */
export const watch: Step = async (job, _inputs, run) => {
  const observed = (await run.inbox.endToldFor(job)) ?? (await ask(job, run));
  if (observed === 'not_found') return missing(job, run);
  const nowMs = run.clock.now();
  if (!isTerminal(observed)) return lookAgain(job, run, null);
  const failed = observed.status === 'failed';
  return {
    kind: 'advance',
    to: 'finished',
    patch: {
      service_status: observed.status,
      outcome: failed ? 'failed' : 'succeeded',
      failure: failed ? JSON.stringify({ reason: 'job', code: observed.error?.code ?? 'unknown' }) : null,
      output_url: observed.outputUrl,
      charged_micros: observed.charged,
      finished_at_ms: nowMs,
    },
    also: (trx) => closeDeliveriesOfJob(trx, job.callback_token, nowMs),
  };
};

/** The service could not be asked: no reason to ask more often than a running job is asked for. */
export const notSeen: Failed = (job, _error, run) => lookAgain(job, run, job.missing_since_ms);

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
function missing(job: JobRow, run: StepRun): StepResult {
  const nowMs = run.clock.now();
  const sinceMs = job.missing_since_ms ?? nowMs;
  run.log.warn({ jobId: job.id, missingMs: nowMs - sinceMs }, 'The service does not know a submitted job');
  if (nowMs - sinceMs >= run.limits.unknownJobMs) return leaveForReview(job, run);
  return lookAgain(job, run, sinceMs);
}

function lookAgain(job: JobRow, run: StepRun, missingSinceMs: number | null): StepResult {
  const nowMs = run.clock.now();
  if (isStale(job, nowMs, run)) run.log.warn({ jobId: job.id }, 'A job does not end at the service');
  return {
    kind: 'wait',
    atMs: nowMs + nextPollMs(ageMs(job, nowMs), pollPlan(job, run)),
    patch: { missing_since_ms: missingSinceMs },
  };
}
