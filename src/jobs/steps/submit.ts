import type { JobRow } from '../../../db/schema.ts';
import { MediaApiRefusal } from '../../media-api/errors.ts';
import { type Step, capabilityOf, failUncharged, leaveForReview, retryAt, showStage } from '../step.ts';
import { firstPollAt } from '../polling.ts';

/** submitting -> submitted: one job at the service, however often this runs. */
export const submit: Step = async (job, _inputs, run) => {
  if (job.request_body === null) throw new TypeError('Cannot submit a job without its frozen body');
  showStage(job, 'at_service', run);
  try {
    const submitted = await run.api.jobs.submit(
      { capability: capabilityOf(job), body: job.request_body, idempotencyKey: job.idempotency_key },
      { signal: run.signal, priority: 'interactive' },
    );
    const nowMs = run.clock.now();
    return {
      kind: 'advance',
      to: 'submitted',
      patch: {
        service_job_id: submitted.id,
        status_url: submitted.statusUrl,
        service_status: submitted.status,
        submitted_at_ms: nowMs,
      },
      dueAtMs: firstPollAt(job, nowMs, run),
    };
  } catch (error) {
    if (error instanceof MediaApiRefusal && isDefinitive(error, job)) {
      return failUncharged(job, { reason: 'service_refused', code: error.code }, run);
    }
    if (run.clock.now() - job.accepted_at_ms > run.limits.submitMsMax) return leaveForReview(job, run);
    run.log.warn({ jobId: job.id, attempts: job.attempts, error }, 'Submit not confirmed, will repeat it');
    return { kind: 'wait', atMs: retryAt(job, run) };
  }
};

/**
 * Whether the refusal proves that the service has no such job. A refused key proves nothing about an earlier
 * try of this step, whose answer may have been lost.
 */
function isDefinitive(error: MediaApiRefusal, job: JobRow): boolean {
  if (error.retry !== 'never' || error.ambiguous) return false;
  return error.status !== 401 || job.attempts <= 1;
}
