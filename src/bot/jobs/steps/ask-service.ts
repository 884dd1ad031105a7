import type { JobRow } from '../../../../db/schema/jobs.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import type { Job } from '../../../media-api/job.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import type { StepControl } from './step.ts';

export interface AskServiceTools {
  readonly api: Pick<MediaApi, 'jobs'>;
}

/** Fetches the job's current state from the service. Throws if the service cannot be reached. */
export async function askService(
  job: JobRow,
  { api, signal }: AskServiceTools & Pick<StepControl, 'signal'>,
  priority: 'poll' | 'reconcile' = 'poll',
): Promise<Job | 'not_found'> {
  if (job.service_job_id === null)
    throw new TypeError('Cannot request the state of a job that was not submitted');
  try {
    return await api.jobs.get({ id: job.service_job_id, statusUrl: job.status_url }, { signal, priority });
  } catch (error) {
    if (error instanceof MediaApiRefusal && error.code === 'not_found') return 'not_found';
    throw error;
  }
}
