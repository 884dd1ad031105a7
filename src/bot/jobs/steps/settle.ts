import { clearInputLinks } from '../../../../db/queries/job-inputs.ts';
import { noteUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import { closeDeliveriesOfJob } from '../../../../db/queries/webhook-deliveries.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { JobLimits } from '../job-limits.ts';
import type { Quotes } from '../prices/quote.ts';
import type { JobFiles } from '../results/job-files.ts';
import { type AskServiceTools, askService } from './ask-service.ts';
import { type ClearJobTools, type Cleared, clearJob } from './clear-job.ts';
import type { Failed, GivenUp, Step, StepControl, StepResult } from './step.ts';

interface ClosedTools {
  readonly ledger: Pick<Ledger, 'post' | 'review'>;
  readonly quotes: Pick<Quotes, 'renew'>;
  readonly clock: Clock;
}

interface CloseTools extends ClosedTools, ClearJobTools {
  readonly files: Pick<JobFiles, 'removeResult'>;
}

export interface SettleTools extends CloseTools, AskServiceTools {
  readonly limits: Pick<JobLimits, 'staleMs'>;
}

/** The final data of a job: its charge (null if unknown) and, if it was cancelled or deleted, what was cleared. */
interface Closing {
  readonly charged: MicroUsd | null;
  readonly cleared?: Cleared | undefined;
}

const CHARGE_POLL_MS = 600_000;

/**
 * posted -> settled: books a charge that was not known before, then deletes data that is no longer needed (links, the
 * reply's token). Files are kept for a retry, unless the job was cancelled or deleted.
 */
export const settle: Step<SettleTools> = async (job, inputs, run) => {
  const { charged_micros: charged } = job;
  if (!owesCharge(job)) return closed(job, { charged, cleared: await clear(job, inputs, run) }, run);
  const observed = await askService(job, run, 'reconcile');
  const learned = observed === 'not_found' ? null : observed.charged;
  if (learned === null && run.clock.now() - job.stage_since_ms <= run.limits.staleMs) {
    return { kind: 'wait', atMs: run.clock.now() + CHARGE_POLL_MS };
  }
  if (learned === null) {
    run.log.error(
      { jobId: job.id },
      'The service never reported the charge of a job; its hold goes to review',
    );
  }
  return closed(job, { charged: learned, cleared: await clear(job, inputs, run) }, run);
};

export const notSettled: Failed<Pick<SettleTools, 'clock'>> = (job, _error, { clock }) => {
  return owesCharge(job) ? { kind: 'wait', atMs: clock.now() + CHARGE_POLL_MS } : undefined;
};

/** Returns whether the job ended at the service and its charge is not known yet. */
function owesCharge(job: JobRow): boolean {
  return job.finished_at_ms !== null && job.charged_micros === null && job.outcome !== 'unknown';
}

/** Removes leftover files of a result that is not kept, and the files and messages of a cancelled or deleted job. */
async function clear(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: CloseTools & Pick<StepControl, 'signal'>,
): Promise<Cleared | undefined> {
  // An earlier download may have left a file that was unusable or no longer wanted. No database row names that file.
  if (job.service_job_id !== null && job.result_path === null) await run.files.removeResult(job.id);
  return job.taken_back === null ? undefined : clearJob(job, inputs, run);
}

/** Settles a job without clearing it. Housekeeping later clears a deleted job's remaining files and messages. */
export const closeUncleared: GivenUp<ClosedTools> = (job, tools) =>
  closed(job, { charged: job.charged_micros }, tools);

function closed(
  job: JobRow,
  { charged, cleared }: Closing,
  { ledger, quotes, clock }: ClosedTools,
): StepResult {
  const nowMs = clock.now();
  if (owesCharge(job) && charged !== null && charged > job.hold_micros) quotes.renew();
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
      if (owesCharge(job)) await resolveHold(trx, { subject: job.id, charged }, ledger);
      await noteUndeleted(trx, job, { messageIds: cleared?.left ?? [], nowMs });
      await clearInputLinks(trx, job.id, nowMs);
      await closeDeliveriesOfJob(trx, job.callback_token, nowMs);
    },
  };
}

async function resolveHold(
  trx: Trx,
  { subject, charged }: { readonly subject: string; readonly charged: MicroUsd | null },
  ledger: ClosedTools['ledger'],
): Promise<void> {
  if (charged === null) await ledger.review(trx, { subject });
  else await ledger.post(trx, { subject, charged });
}
