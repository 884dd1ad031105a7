import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { JobLimits } from '../job-limits.ts';
import { type StepRun, capabilityOf } from './step.ts';
import type { ServiceTimes } from '../prices/typical-times.ts';

/** What decides when to look after jobs of one capability. */
export interface PollPlan {
  /** How long the service takes; null before it is learned. */
  readonly times: ServiceTimes | null;
  /** Whether a webhook is expected. */
  readonly webhooks: boolean;
  readonly limits: Pick<JobLimits, 'pollMsFirst' | 'pollMsMax' | 'webhookMsMin' | 'sweepMsMax' | 'staleMs'>;
}

const STALE_POLL_MS = 600_000;
/** The first look comes before the usual end, or a service that became quicker would never be noticed. */
const EARLY = 0.8;
const WEBHOOK_MARGIN_MS_MAX = 60_000;
/** Without learned times, a webhook is waited for this many of its shortest times. */
const UNLEARNED_WAITS = 6;

export function pollPlan(job: JobRow, run: StepRun): PollPlan {
  const times = run.typical.atService(capabilityOf(job));
  return { times, webhooks: run.callbackUrl !== undefined, limits: run.limits };
}

/**
 * The wait before the first look at a fresh job. Where a webhook is expected it is one for a lost webhook: after
 * nearly all jobs have ended, and some margin. Else it is a little before half of them have.
 */
export function firstPollMs({ times, webhooks, limits }: PollPlan): number {
  if (!webhooks) return Math.max(limits.pollMsFirst, Math.round(EARLY * (times?.p50Ms ?? 0)));
  if (!times) return UNLEARNED_WAITS * limits.webhookMsMin;
  const marginMs = Math.min(WEBHOOK_MARGIN_MS_MAX, Math.round(times.p95Ms / 4));
  return times.p95Ms + Math.max(limits.webhookMsMin, marginMs);
}

/**
 * The wait before the next look at a job of `ageMs`: short while jobs of its kind use to end, then growing with its
 * age within its bounds. Where a webhook is expected, a lost one is still found in two minutes.
 */
export function nextPollMs(ageMs: number, plan: PollPlan): number {
  const { times, webhooks, limits } = plan;
  if (ageMs > limits.staleMs) return STALE_POLL_MS;
  if (webhooks) return Math.max(limits.pollMsFirst, nextSweepMs(ageMs, plan));
  const isUsual = times !== null && ageMs < times.p95Ms;
  const waitMs = isUsual ? Math.max((times.p95Ms - times.p50Ms) / 4, ageMs / 16) : ageMs / 4;
  return Math.min(limits.pollMsMax, Math.max(limits.pollMsFirst, Math.round(waitMs)));
}

function nextSweepMs(ageMs: number, plan: PollPlan): number {
  const firstMs = firstPollMs(plan);
  if (ageMs < firstMs) return firstMs - ageMs;
  const waitMs = Math.max(ageMs / 4, plan.times ? 0 : firstMs);
  return Math.min(plan.limits.sweepMsMax, Math.round(waitMs));
}

/** Whether the job is at the service for longer than any job should take. */
export function isStale(job: JobRow, nowMs: number, run: StepRun): boolean {
  return ageMs(job, nowMs) > run.limits.staleMs;
}

/** How long the job is at the service. */
export function ageMs(job: JobRow, nowMs: number): number {
  return nowMs - (job.submitted_at_ms ?? job.accepted_at_ms);
}
