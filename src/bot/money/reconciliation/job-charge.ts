import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { MicroUsd } from '../../../base/money.ts';
import { isMediaApiError } from '../../../media-api/errors.ts';
import { isTerminal } from '../../../media-api/job.ts';
import type { ReconcileContext } from './reconcile-context.ts';

/**
 * Returns the price that the service reports for an ended job. The request makes the service settle the price. Returns
 * `undefined` if the service reports no price, does not know the job, or cannot be reached.
 */
export async function jobCharge(
  job: Pick<JobRow, 'service_job_id' | 'status_url'>,
  { api, log }: Pick<ReconcileContext, 'api' | 'log'>,
  signal: AbortSignal,
): Promise<MicroUsd | undefined> {
  if (job.service_job_id === null) return undefined;
  const reference = { id: job.service_job_id, statusUrl: job.status_url };
  try {
    const seen = await api.jobs.get(reference, { signal, priority: 'background' });
    return isTerminal(seen) ? (seen.charged ?? undefined) : undefined;
  } catch (error) {
    if (!isMediaApiError(error) || signal.aborted) throw error;
    log.debug({ error }, 'Cannot ask for the charge of a job');
    return undefined;
  }
}
