import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { MicroUsd } from '../../../base/money.ts';
import { isMediaApiError } from '../../../media-api/errors.ts';
import { isTerminal } from '../../../media-api/job.ts';
import type { ReconcileContext } from './reconcile-context.ts';

/**
 * What the service says that an ended job has cost: asking makes it settle the price. Undefined when it does not say,
 * does not know the job, or cannot be asked just now.
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
