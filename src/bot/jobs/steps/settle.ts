import { forgetInputLinks } from '../../../../db/queries/job-inputs.ts';
import { noteUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import { closeDeliveriesOfJob } from '../../../../db/queries/webhook-deliveries.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Failed, GivenUp, Step, StepResult, StepRun } from './step.ts';
import { type Cleared, clearJob } from './clear-job.ts';
import { ask } from './watch.ts';

const CHARGE_POLL_MS = 600_000;

/**
 * posted -> settled: books a charge that was not known before, then forgets what was only needed on the way
 * (links, the reply's token). Files are kept for another try, unless the job was taken back.
 */
export const settle: Step = async (job, inputs, run) => {
  if (!owesCharge(job)) return close(job, inputs, run);
  const observed = await ask(job, run, 'reconcile');
  const charged = observed === 'not_found' ? null : observed.charged;
  if (charged !== null) return close(job, inputs, run, charged);
  return (await leaveCharge(job, inputs, run)) ?? { kind: 'wait', atMs: run.clock.now() + CHARGE_POLL_MS };
};

export const notSettled: Failed = (job, _error, run) => {
  return owesCharge(job) ? { kind: 'wait', atMs: run.clock.now() + CHARGE_POLL_MS } : undefined;
};

/** A job that ended at the service, but for a price that is still open. */
function owesCharge(job: JobRow): boolean {
  return job.finished_at_ms !== null && job.charged_micros === null && job.outcome !== 'unknown';
}

/** Sets the hold aside for review when the charge was not told for too long. */
async function leaveCharge(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: StepRun,
): Promise<StepResult | undefined> {
  if (run.clock.now() - job.stage_since_ms <= run.limits.staleMs) return undefined;
  run.log.error({ jobId: job.id }, 'The charge of a job was never told; its hold is set aside for review');
  return close(job, inputs, run);
}

async function close(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: StepRun,
  charged: MicroUsd | null = job.charged_micros,
): Promise<StepResult> {
  // A download may have come, but could not be used, or was not wanted any more: nothing else tells of it.
  if (job.service_job_id !== null && job.result_path === null) await run.files.removeResult(job.id);
  const cleared = job.taken_back === null ? undefined : await clearJob(job, inputs, run, run.signal);
  return closed(job, run, charged, cleared);
}

/** Clears nothing: the housekeeping clears the remains of a deleted job. */
export const closeUncleared: GivenUp = (job, run) => closed(job, run, job.charged_micros);

function closed(job: JobRow, run: StepRun, charged: MicroUsd | null, cleared?: Cleared): StepResult {
  const nowMs = run.clock.now();
  if (owesCharge(job) && charged !== null && charged > job.hold_micros) run.quotes.renew();
  return {
    kind: 'advance',
    to: 'settled',
    patch: {
      ...cleared?.patch,
      charged_micros: charged,
      interaction_token: '',
      request_body: null,
      output_url: null,
      settled_at_ms: nowMs,
    },
    also: async (trx) => {
      if (owesCharge(job)) await resolveHold(trx, job, run, charged);
      await noteUndeleted(trx, job, { messageIds: cleared?.left ?? [], nowMs });
      await forgetInputLinks(trx, job.id, nowMs);
      await closeDeliveriesOfJob(trx, job.callback_token, nowMs);
    },
  };
}

async function resolveHold(trx: Trx, job: JobRow, run: StepRun, charged: MicroUsd | null): Promise<void> {
  if (charged === null) await run.ledger.review(trx, { subject: job.id });
  else await run.ledger.post(trx, { subject: job.id, charged });
}
