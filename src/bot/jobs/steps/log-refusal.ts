import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Logger } from '../../../base/log.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';

export interface LogRefusalTools {
  /** The spending gate is notified if the account at the service does not cover a job. */
  readonly spending: Pick<SpendingGate, 'wasShort'> | undefined;
  readonly log: Logger;
}

/** Logs why the service refused a job. Refusals whose cause only the operator can remove are logged as errors. */
export function logRefusal(job: JobRow, refusal: MediaApiRefusal, { spending, log }: LogRefusalTools): void {
  const fields = { jobId: job.id, stage: job.stage, status: refusal.status, code: refusal.code };
  if (refusal.status === 402) spending?.wasShort(job.hold_micros, 'service');
  if (refusal.status === 401 || refusal.status === 402) {
    log.error(fields, 'The service refuses all work of this account until the operator resolves the cause');
  } else log.warn(fields, 'The service refused a job');
}

/** Returns whether the service refused the API key. Until the operator sets a new key, members' jobs wait. */
export function isKeyRefused(error: unknown): boolean {
  return error instanceof MediaApiRefusal && error.status === 401;
}
