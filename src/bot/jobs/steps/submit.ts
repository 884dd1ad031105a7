import { findJobByServiceJobId } from '../../../../db/queries/jobs.ts';
import type { StepPatch } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import { MediaApiRefusal, isMediaApiError } from '../../../media-api/errors.ts';
import type { Submitted } from '../../../media-api/jobs.ts';
import { HTTP_ERROR_CODES } from '../../../media-api/wire.ts';
import { switchOff, switchOn } from '../capability-switch.ts';
import { firstPollMs, pollPlan } from './poll-plan.ts';
import {
  type Failed,
  type Step,
  type StepResult,
  type StepRun,
  capabilityOf,
  failUncharged,
  isKeyRefused,
  leaveForReview,
  logRefusal,
  retryAt,
  showStage,
} from './step.ts';
import { mayLackFile, uploadAgain } from './upload-again.ts';
import { failureOf } from './not-prepared.ts';

/** submitting -> submitted: one job at the service, however often this runs. */
export const submit: Step = async (job, inputs, run) => {
  if (job.request_body === null) throw new TypeError('Cannot submit a job without its frozen body');
  showStage(job, 'at_service', run);
  const submitted = await send(job, job.request_body, run).catch((error: unknown) => {
    if (!leftNothing(job) || !mayLackFile(error, inputs)) throw error;
    return undefined;
  });
  if (!submitted) return uploadAgain(job, inputs, run);
  run.ceilings.accepted(capabilityOf(job), job.id);
  const owner = await findJobByServiceJobId(run.db.kysely, submitted.id);
  if (owner && owner.id !== job.id) throw new TypeError('Cannot tell two jobs apart that share an id');
  return {
    kind: 'advance',
    to: 'submitted',
    patch: {
      service_job_id: submitted.id,
      status_url: submitted.statusUrl,
      service_status: submitted.status,
      submitted_at_ms: run.clock.now(),
    },
    also: (trx) => switchOn(trx, capabilityOf(job)),
    dueAtMs: await firstLookAt(job, submitted, run),
  };
};

const WARMING: Backoff = { delayMsFirst: 60_000, delayMsMax: 60_000 };

function send(job: JobRow, body: string, run: StepRun): Promise<Submitted> {
  return run.api.jobs.submit(
    { capability: capabilityOf(job), body, idempotencyKey: job.idempotency_key },
    { signal: run.signal, priority: 'interactive', returnsForCapacity: true },
  );
}

/** However long a job stood in line, its submit is tried at least this often. */
const ATTEMPTS_MIN = 5;

/**
 * A try that left nothing at the service is repeated, or ends the job for good. As soon as one may have left a
 * job there, only a refusal that proves the contrary does so: otherwise the hold is set aside in the end.
 */
export const notSubmitted: Failed = (job, error, run) => {
  const nowMs = run.clock.now();
  const isClean = isMediaApiError(error) && !error.ambiguous;
  const wereClean = leftNothing(job);
  const isFull = error instanceof MediaApiRefusal && (error.retry === 'soon' || error.retry === 'warming');
  if (isFull) {
    const atMs = whenThereIsRoom(job, error, run);
    const isLate = nowMs - job.accepted_at_ms > run.limits.capacityMsMax;
    if (!isLate)
      return { kind: 'wait', atMs, patch: isClean && wereClean ? UNTRIED : triedPatch(job, isClean, nowMs) };
  }
  if (error instanceof MediaApiRefusal && isClean && error.retry === 'never' && !isKeyRefused(error)) {
    if (wereClean || provesAbsence(error)) {
      return refused(job, error, run);
    }
  }
  // However long it stood in line before: trouble begins with the first try that meets it.
  const sinceMs = job.attempts <= 1 ? nowMs : job.stage_since_ms;
  const isOver = isFull || nowMs - sinceMs > run.limits.submitMsMax;
  if (isOver && job.attempts >= ATTEMPTS_MIN) {
    if (isClean && wereClean) return failUncharged(job, failureOf(error), run);
    const left = leaveForReview(job, run);
    return { ...left, patch: { ...left.patch, submit_to_ms: nowMs } };
  }
  const patch = { ...triedPatch(job, isClean, nowMs), stage_since_ms: sinceMs };
  return { kind: 'wait', atMs: retryAt(job, run), patch };
};

/** Of a job that was only told that there is no room: as if nothing had been tried. */
const UNTRIED = { attempts: 0, clean_attempts: 0, submit_from_ms: null };

/** Whether no try before this one can have left a job at the service. */
export function leftNothing(job: JobRow): boolean {
  return job.clean_attempts >= job.attempts - 1;
}

/**
 * The patch after a try that ended at `nowMs`. If no try can have left a job at the service, the time of the first try
 * is cleared.
 */
function triedPatch(job: JobRow, isClean: boolean, nowMs: number): StepPatch {
  const since = isClean && leftNothing(job) ? { submit_from_ms: null } : {};
  return { clean_attempts: job.clean_attempts + (isClean ? 1 : 0), submit_to_ms: nowMs, ...since };
}

function whenThereIsRoom(job: JobRow, refusal: MediaApiRefusal, run: StepRun): number {
  const why = refusal.code === 'at_capacity' ? 'full' : 'no_capacity';
  const soonMs = run.ceilings.refused(capabilityOf(job), job.id, why);
  return refusal.retry === 'warming' ? run.clock.now() + backoffMs(WARMING, 1) : soonMs;
}

/** The service's final no, and what it tells of the service itself. */
function refused(job: JobRow, refusal: MediaApiRefusal, run: StepRun): StepResult {
  logRefusal(job, refusal, run);
  if (refusal.code === 'invalid_input' && job.capability === 'avatar') run.voices.renew();
  return failUncharged(job, failureOf(refusal), run, async (trx) => {
    if (refusal.code !== 'capability_unavailable') return;
    await switchOff(trx, capabilityOf(job), run.clock.now() + run.limits.switchProbeMs);
  });
}

/** A repeat may be answered with a job that has ended, and a webhook may outrun the answer. */
async function firstLookAt(job: JobRow, submitted: Submitted, run: StepRun): Promise<number> {
  const nowMs = run.clock.now();
  const isUnderWay = submitted.status !== 'succeeded' && submitted.status !== 'failed';
  const told = await run.inbox.endToldFor({ ...job, service_job_id: submitted.id });
  return isUnderWay && !told ? nowMs + firstPollMs(pollPlan(job, run)) : nowMs;
}

/**
 * Whether a refusal shows that no earlier try under the same key left a job: the service's own word about the
 * request. A refused key, or a proxy's answer, says nothing about it.
 */
function provesAbsence({ status, code }: MediaApiRefusal): boolean {
  const codes: readonly string[] = HTTP_ERROR_CODES;
  return codes.includes(code) && status !== 401 && status !== 403 && status !== 404;
}
