import type { Database } from '../../../../db/database.ts';
import { type StepPatch, findJobByServiceJobId } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import { MediaApiRefusal, isMediaApiError } from '../../../media-api/errors.ts';
import type { Submitted } from '../../../media-api/jobs.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import { HTTP_ERROR_CODES } from '../../../media-api/wire.ts';
import { switchOff, switchOn } from '../capability-switch.ts';
import type { JobLimits } from '../job-limits.ts';
import type { Ceilings } from '../prices/ceilings.ts';
import type { VoiceCatalog } from '../voice-catalog.ts';
import type { WebhookInbox } from '../webhook-inbox.ts';
import { capabilityOf } from './capability-of.ts';
import { type FailUnchargedTools, failUncharged } from './fail-uncharged.ts';
import { type LeaveForReviewTools, leaveForReview } from './leave-for-review.ts';
import { type LogRefusalTools, isKeyRefused, logRefusal } from './log-refusal.ts';
import { type PollPlanTools, firstPollMs, pollPlan } from './poll-plan.ts';
import { retryAt } from './retry-at.ts';
import { type ShowStageTools, showStage } from './show-stage.ts';
import type { Failed, Step, StepControl, StepResult } from './step.ts';
import { unsentFailure } from './unsent-failure.ts';
import { mayLackFile, uploadAgain } from './upload-again.ts';

interface FirstLookTools extends PollPlanTools {
  readonly inbox: Pick<WebhookInbox, 'findReportedEnd'>;
  readonly clock: Clock;
}

export type SubmitTools = ShowStageTools &
  FirstLookTools &
  FailUnchargedTools & {
    readonly db: Database;
    readonly api: Pick<MediaApi, 'jobs'>;
    readonly ceilings: Pick<Ceilings, 'accepted'>;
    readonly log: Logger;
  };

/** submitting -> submitted: creates one job at the service, however many times this step runs. */
export const submit: Step<SubmitTools> = async (job, inputs, run) => {
  if (job.request_body === null) throw new TypeError('Cannot submit a job without its frozen body');
  showStage(job, 'at_service', run);
  const submitted = await send(job, job.request_body, run).catch((error: unknown) => {
    if (!leftNothing(job) || !mayLackFile(error, inputs)) throw error;
    return undefined;
  });
  if (!submitted) return uploadAgain(job, inputs, run);
  run.ceilings.accepted(capabilityOf(job), job.id);
  const owner = await findJobByServiceJobId(run.db.kysely, submitted.id);
  if (owner && owner.id !== job.id)
    throw new TypeError('Cannot record a submit: another job has the same id at the service');
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

function send(
  job: JobRow,
  body: string,
  { api, signal }: Pick<SubmitTools, 'api'> & Pick<StepControl, 'signal'>,
): Promise<Submitted> {
  return api.jobs.submit(
    { capability: capabilityOf(job), body, idempotencyKey: job.idempotency_key },
    { signal, priority: 'interactive', returnsForCapacity: true },
  );
}

/**
 * Returns the time of the first check on the job. The job may already have ended, because the submission may be a
 * repeat, or a webhook may have arrived before the response.
 */
async function firstLookAt(job: JobRow, submitted: Submitted, tools: FirstLookTools): Promise<number> {
  const nowMs = tools.clock.now();
  const isUnderWay = submitted.status !== 'succeeded' && submitted.status !== 'failed';
  const ended = await tools.inbox.findReportedEnd({ ...job, service_job_id: submitted.id });
  return isUnderWay && !ended ? nowMs + firstPollMs(pollPlan(job, tools)) : nowMs;
}

interface RoomTools {
  readonly ceilings: Pick<Ceilings, 'refused'>;
  readonly clock: Clock;
}

interface RefusedTools extends FailUnchargedTools, LogRefusalTools {
  readonly voices: Pick<VoiceCatalog, 'renew'>;
  readonly limits: Pick<JobLimits, 'switchProbeMs'>;
  readonly clock: Clock;
}

export type NotSubmittedTools = RoomTools &
  RefusedTools &
  LeaveForReviewTools & { readonly limits: Pick<JobLimits, 'capacityMsMax' | 'submitMsMax'> };

const WARMING: Backoff = { delayMsFirst: 60_000, delayMsMax: 60_000 };
/** The minimum number of attempts to submit a job, however long it waited in line. */
const ATTEMPTS_MIN = 5;
/** The patch for a job that was refused only because the service had no room. The job counts as not tried yet. */
const UNTRIED = { attempts: 0, clean_attempts: 0, submit_from_ms: null };

/**
 * Handles a failed submission. If no attempt can have left a job at the service, the submission is repeated, or the job
 * ends. Otherwise the job ends only after a refusal that proves that the service has no job. Without such a refusal,
 * its hold eventually goes to review.
 */
export const notSubmitted: Failed<NotSubmittedTools> = (job, error, tools) => {
  const nowMs = tools.clock.now();
  const isClean = isMediaApiError(error) && !error.ambiguous;
  const wereClean = leftNothing(job);
  const isFull = error instanceof MediaApiRefusal && (error.retry === 'soon' || error.retry === 'warming');
  if (isFull) {
    const atMs = whenThereIsRoom(job, error, tools);
    const isLate = nowMs - job.accepted_at_ms > tools.limits.capacityMsMax;
    const patch = isClean && wereClean ? UNTRIED : triedPatch(job, isClean, nowMs);
    if (!isLate) return { kind: 'wait', atMs, patch };
  }
  if (error instanceof MediaApiRefusal && isClean && error.retry === 'never' && !isKeyRefused(error)) {
    if (wereClean || provesAbsence(error)) return refused(job, error, tools);
  }
  // The time limit starts with the first failed attempt, however long the job waited in line before that.
  const sinceMs = job.attempts <= 1 ? nowMs : job.stage_since_ms;
  const isOver = isFull || nowMs - sinceMs > tools.limits.submitMsMax;
  if (isOver && job.attempts >= ATTEMPTS_MIN) {
    if (isClean && wereClean) return failUncharged(job, unsentFailure(error), tools);
    const left = leaveForReview(job, tools);
    return { ...left, patch: { ...left.patch, submit_to_ms: nowMs } };
  }
  const patch = { ...triedPatch(job, isClean, nowMs), stage_since_ms: sinceMs };
  return { kind: 'wait', atMs: retryAt(job, tools), patch };
};

/** Returns whether it is certain that no earlier attempt left a job at the service. */
export function leftNothing(job: JobRow): boolean {
  return job.clean_attempts >= job.attempts - 1;
}

/**
 * Returns the patch after an attempt that ended at `nowMs`. If no attempt can have left a job at the service, the time
 * of the first attempt is cleared.
 */
function triedPatch(job: JobRow, isClean: boolean, nowMs: number): StepPatch {
  const since = isClean && leftNothing(job) ? { submit_from_ms: null } : {};
  return { clean_attempts: job.clean_attempts + (isClean ? 1 : 0), submit_to_ms: nowMs, ...since };
}

function whenThereIsRoom(job: JobRow, refusal: MediaApiRefusal, { ceilings, clock }: RoomTools): number {
  const why = refusal.code === 'at_capacity' ? 'full' : 'no_capacity';
  const soonMs = ceilings.refused(capabilityOf(job), job.id, why);
  return refusal.retry === 'warming' ? clock.now() + backoffMs(WARMING, 1) : soonMs;
}

/** Ends a job that the service refuses permanently. Also records what the refusal reveals about the service. */
function refused(job: JobRow, refusal: MediaApiRefusal, tools: RefusedTools): StepResult {
  logRefusal(job, refusal, tools);
  if (refusal.code === 'invalid_input' && job.capability === 'avatar') tools.voices.renew();
  const end = failUncharged(job, unsentFailure(refusal), tools);
  if (refusal.code !== 'capability_unavailable') return end;
  return {
    ...end,
    also: async (trx) => {
      await end.also?.(trx);
      await switchOff(trx, capabilityOf(job), tools.clock.now() + tools.limits.switchProbeMs);
    },
  };
}

/**
 * Returns whether a refusal is the service's own response to this request, which proves that no earlier attempt with
 * the same idempotency key left a job there. A refused API key, or a response from a proxy, proves nothing.
 */
function provesAbsence({ status, code }: MediaApiRefusal): boolean {
  const codes: readonly string[] = HTTP_ERROR_CODES;
  return codes.includes(code) && status !== 401 && status !== 403 && status !== 404;
}
