import type { JobRow } from '../../../../db/schema/jobs.ts';
import { closeDeliveriesOfJob } from '../../../../db/queries/webhook-deliveries.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { isTerminal } from '../../../media-api/job.ts';
import type { JobLimits } from '../job-limits.ts';
import type { WebhookInbox } from '../webhook-inbox.ts';
import { type AskServiceTools, askService } from './ask-service.ts';
import { type LeaveForReviewTools, leaveForReview } from './leave-for-review.ts';
import { type PollPlanTools, ageMs, nextPollMs, pollPlan } from './poll-plan.ts';
import type { Failed, Step, StepResult } from './step.ts';

type LookAgainTools = PollPlanTools & {
  readonly clock: Clock;
  readonly log: Logger;
};

type MissingTools = LookAgainTools &
  LeaveForReviewTools & { readonly limits: Pick<JobLimits, 'unknownJobMs'> };

export type WatchTools = MissingTools &
  AskServiceTools & { readonly inbox: Pick<WebhookInbox, 'findReportedEnd'> };

/**
 * submitted -> finished: learns the job's outcome from a stored webhook or by asking the service. The first report
 * counts, because both sources report the same outcome.
 */
export const watch: Step<WatchTools> = async (job, _inputs, run) => {
  const observed = (await run.inbox.findReportedEnd(job)) ?? (await askService(job, run));
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

/** Plans the next check after a failed one, at the same intervals as for a running job. */
export const notSeen: Failed<LookAgainTools> = (job, _error, tools) =>
  lookAgain(job, tools, job.missing_since_ms);

/**
 * Handles a job that the service does not know. A 404 may be temporary (another replica of the service, or the key of
 * another account), so the hold goes to review only after some time.
 */
function missing(job: JobRow, tools: MissingTools): StepResult {
  const nowMs = tools.clock.now();
  const sinceMs = job.missing_since_ms ?? nowMs;
  tools.log.warn({ jobId: job.id, missingMs: nowMs - sinceMs }, 'The service does not know a submitted job');
  if (nowMs - sinceMs >= tools.limits.unknownJobMs) return leaveForReview(job, tools);
  return lookAgain(job, tools, sinceMs);
}

function lookAgain(job: JobRow, tools: LookAgainTools, missingSinceMs: number | null): StepResult {
  const nowMs = tools.clock.now();
  const age = ageMs(job, nowMs);
  if (age > tools.limits.staleMs)
    tools.log.warn({ jobId: job.id }, 'A job has been at the service for too long');
  return {
    kind: 'wait',
    atMs: nowMs + nextPollMs(age, pollPlan(job, tools)),
    patch: { missing_since_ms: missingSinceMs },
  };
}
