import type { JobInputPatch, JobInputRow, NewJobInput, Queryable, Trx } from '../schema.ts';

export async function insertJobInputs(trx: Trx, inputs: readonly NewJobInput[]): Promise<void> {
  if (inputs.length > 0) await trx.insertInto('job_inputs').values(inputs).execute();
}

/** The files of a job, by body field. */
export async function listJobInputs(db: Queryable, jobId: string): Promise<JobInputRow[]> {
  return db.selectFrom('job_inputs').selectAll().where('job_id', '=', jobId).orderBy('field').execute();
}

/** Writes what is now known about one file. */
export async function updateJobInput(
  db: Queryable,
  key: { readonly jobId: string; readonly field: string },
  patch: Omit<JobInputPatch, 'job_id' | 'field'>,
): Promise<void> {
  await db
    .updateTable('job_inputs')
    .set(patch)
    .where('job_id', '=', key.jobId)
    .where('field', '=', key.field)
    .returning('field')
    .executeTakeFirstOrThrow();
}

/** Forgets the links that a job's files came from: they are signed, and of no more use. */
export async function forgetInputLinks(db: Queryable, jobId: string): Promise<void> {
  await db.updateTable('job_inputs').set({ url: '' }).where('job_id', '=', jobId).execute();
}

/** Jobs that were settled before `beforeMs` and whose inputs are still kept; at most `limit`. */
export async function listOldInputs(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<{ readonly jobId: string; readonly field: string }[]> {
  return db
    .selectFrom('job_inputs')
    .innerJoin('jobs', 'jobs.id', 'job_inputs.job_id')
    .select(['job_inputs.job_id as jobId', 'job_inputs.field'])
    .where('job_inputs.path', 'is not', null)
    .where('jobs.stage', '=', 'settled')
    .where('jobs.settled_at_ms', '<', options.beforeMs)
    .limit(options.limit)
    .execute();
}

/** Forgets where a job's files came from and were kept: the links are signed, the copies are gone. */
export async function forgetJobInputs(db: Queryable, jobId: string): Promise<void> {
  await db.updateTable('job_inputs').set({ url: '', path: null }).where('job_id', '=', jobId).execute();
}
