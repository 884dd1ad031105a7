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

/** Forgets where a job's files came from and were kept: the links are signed, the copies are gone. */
export async function forgetJobInputs(db: Queryable, jobId: string): Promise<void> {
  await db.updateTable('job_inputs').set({ url: '', path: null }).where('job_id', '=', jobId).execute();
}
