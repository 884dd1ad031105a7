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
  AskServiceTools & { readonly inbox: Pick<WebhookInbox, 'endToldFor'> };

/**
 * submitted -> finished: learns the end of the job from a stored webhook or from the service. Both bring the same
 * observation, and the first one counts.
 */
export const watch: Step<WatchTools> = async (job, _inputs, run) => {
  const observed = (await run.inbox.endToldFor(job)) ?? (await askService(job, run));
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

/** A service that cannot be asked is not asked more often than about a running job. */
export const notSeen: Failed<LookAgainTools> = (job, _error, tools) =>
  lookAgain(job, tools, job.missing_since_ms);

/** A 404 may pass (another replica, a key of another account), so the hold is only set aside after a while. */
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
  if (age > tools.limits.staleMs) tools.log.warn({ jobId: job.id }, 'A job does not end at the service');
  return {
    kind: 'wait',
    atMs: nowMs + nextPollMs(age, pollPlan(job, tools)),
    patch: { missing_since_ms: missingSinceMs },
  };
}
