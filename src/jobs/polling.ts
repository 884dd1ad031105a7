import type { JobRow } from '../../db/schema.ts';
import { type StepRun, capabilityOf } from './step.ts';

const WEBHOOK_TYPICAL_TIMES = 3;
const WEBHOOK_MS_MAX = 1_800_000;
const STALE_POLL_MS = 600_000;

/** When to look at a fresh job: late where a webhook is expected, soon where polls are all there is. */
export function firstPollAt(job: JobRow, nowMs: number, run: StepRun): number {
  const typicalMs = run.typical.of(capabilityOf(job)) ?? 0;
  if (!run.callbackUrl)
    return nowMs + Math.min(run.limits.pollMsMax, Math.max(run.limits.pollMsFirst, typicalMs));
  const webhookMs = Math.min(WEBHOOK_MS_MAX, WEBHOOK_TYPICAL_TIMES * typicalMs);
  return nowMs + Math.max(run.limits.webhookMsMin, webhookMs);
}

/** When to look again: the wait grows with the job's age, by a quarter of it, within its bounds. */
export function nextPollAt(job: JobRow, nowMs: number, run: StepRun): number {
  if (isStale(job, nowMs, run)) return nowMs + STALE_POLL_MS;
  const quarterMs = Math.round(ageMs(job, nowMs) / 4);
  return nowMs + Math.min(run.limits.pollMsMax, Math.max(run.limits.pollMsFirst, quarterMs));
}

/** Whether the job is at the service for longer than any job should take. */
export function isStale(job: JobRow, nowMs: number, run: StepRun): boolean {
  return ageMs(job, nowMs) > run.limits.staleMs;
}

function ageMs(job: JobRow, nowMs: number): number {
  return nowMs - (job.submitted_at_ms ?? job.accepted_at_ms);
}
