import type { JobRow } from '../../db/schema.ts';
import { type StepRun, capabilityOf } from './step.ts';

const WEBHOOK_TYPICAL_TIMES = 3;
const STALE_POLL_MS = 600_000;

/** When to look at a fresh job: late where a webhook is expected, soon where polls are all there is. */
export function firstPollAt(job: JobRow, nowMs: number, run: StepRun): number {
  const typicalMs = run.typical.of(capabilityOf(job)) ?? 0;
  if (!run.callbackUrl)
    return nowMs + Math.min(run.limits.pollMsMax, Math.max(run.limits.pollMsFirst, typicalMs));
  return nowMs + Math.max(run.limits.webhookMsMin, WEBHOOK_TYPICAL_TIMES * typicalMs);
}

/** When to look again: the wait grows with the job's age, by a quarter of it, within its bounds. */
export function nextPollAt(job: JobRow, nowMs: number, run: StepRun): number {
  const ageMs = nowMs - (job.submitted_at_ms ?? job.accepted_at_ms);
  if (ageMs > run.limits.staleMs) return nowMs + STALE_POLL_MS;
  return nowMs + Math.min(run.limits.pollMsMax, Math.max(run.limits.pollMsFirst, ageMs / 4));
}
