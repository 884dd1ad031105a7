import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { JobLimits } from '../job-limits.ts';
import { capabilityOf } from './capability-of.ts';
import type { ServiceTimes, TypicalTimes } from '../prices/typical-times.ts';

type PollLimits = Pick<JobLimits, 'pollMsFirst' | 'pollMsMax' | 'webhookMsMin' | 'sweepMsMax' | 'staleMs'>;

export interface PollPlanTools {
  readonly typical: Pick<TypicalTimes, 'atService'>;
  /** Undefined if no webhooks are requested. */
  readonly callbackUrl: ((callbackToken: string) => string) | undefined;
  readonly limits: PollLimits;
}

/** The data that determines when the service is asked about a capability's jobs. */
export interface PollPlan {
  /** How long the service takes; null while it is not known. */
  readonly times: ServiceTimes | null;
  /** Whether a webhook is expected. */
  readonly webhooks: boolean;
  readonly limits: PollLimits;
}

const STALE_POLL_MS = 600_000;
/**
 * The first check comes after this fraction of the usual duration. It is below 1, because otherwise the bot would never
 * notice that the service has become faster.
 */
const EARLY = 0.8;
const WEBHOOK_MARGIN_MS_MAX = 60_000;
/** If no times are known and a webhook is expected, the first check comes after this many times `webhookMsMin`. */
const UNLEARNED_WAITS = 6;

export function pollPlan(job: JobRow, { typical, callbackUrl, limits }: PollPlanTools): PollPlan {
  return { times: typical.atService(capabilityOf(job)), webhooks: callbackUrl !== undefined, limits };
}

/**
 * Returns the wait before the first check on a new job, in milliseconds. If a webhook is expected, the check is only
 * needed if that webhook is lost, so it comes at an age by which almost all such jobs have ended, plus a margin.
 * Otherwise it comes shortly before the median age at which such jobs end.
 */
export function firstPollMs({ times, webhooks, limits }: PollPlan): number {
  if (!webhooks) return Math.max(limits.pollMsFirst, Math.round(EARLY * (times?.p50Ms ?? 0)));
  if (!times) return UNLEARNED_WAITS * limits.webhookMsMin;
  const marginMs = Math.min(WEBHOOK_MARGIN_MS_MAX, Math.round(times.p95Ms / 4));
  return times.p95Ms + Math.max(limits.webhookMsMin, marginMs);
}

/**
 * Returns the wait before the next check on a job of age `ageMs`, in milliseconds. The wait is short around the age at
 * which such jobs usually end, and longer for older jobs, within bounds. If a webhook is expected, its loss is still
 * noticed within two minutes.
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

/** Returns how long the job has been at the service, in milliseconds. */
export function ageMs(job: JobRow, nowMs: number): number {
  return nowMs - (job.submitted_at_ms ?? job.accepted_at_ms);
}
