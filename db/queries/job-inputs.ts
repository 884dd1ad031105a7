import { sql } from 'kysely';
import type { JobClaim } from './jobs.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { JobInputPatch, JobInputRow, NewJobInput } from '../schema/job-inputs.ts';

export async function insertJobInputs(trx: Trx, inputs: readonly NewJobInput[]): Promise<void> {
  if (inputs.length > 0) await trx.insertInto('job_inputs').values(inputs).execute();
}

/** Returns the files of a job, sorted by body field. */
export async function listJobInputs(db: Queryable, jobId: string): Promise<JobInputRow[]> {
  return db.selectFrom('job_inputs').selectAll().where('job_id', '=', jobId).orderBy('field').execute();
}

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

/**
 * Stores what a worker found out about one file. Returns false, and stores nothing, if the worker no longer has the
 * job.
 */
export async function recordJobInput(
  db: Queryable,
  key: { readonly job: JobClaim; readonly field: string },
  patch: Omit<JobInputPatch, 'job_id' | 'field'>,
): Promise<boolean> {
  const { job, field } = key;
  const recorded = await db
    .updateTable('job_inputs')
    .set(patch)
    .where('job_id', '=', job.id)
    .where('field', '=', field)
    .where((eb) =>
      eb.exists(eb.selectFrom('jobs').select('id').where('id', '=', job.id).where('fence', '=', job.fence)),
    )
    .returning('field')
    .executeTakeFirst();
  return recorded !== undefined;
}

/** Returns one file of a job, or `undefined` if the job has no input for the field. */
export async function findJobInput(
  db: Queryable,
  key: { readonly jobId: string; readonly field: string },
): Promise<JobInputRow | undefined> {
  return db
    .selectFrom('job_inputs')
    .selectAll()
    .where('job_id', '=', key.jobId)
    .where('field', '=', key.field)
    .executeTakeFirst();
}

/** Clears the signed links to the sources of a job's files. The time for which the files are kept starts now. */
export async function clearInputLinks(db: Queryable, jobId: string, nowMs: number): Promise<void> {
  await db
    .updateTable('job_inputs')
    .set({ url: '', kept_since_ms: nowMs })
    .where('job_id', '=', jobId)
    .execute();
}

/** Returns files that have been kept since before `beforeMs`, at most `limit`. */
export async function listOldInputs(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<{ readonly jobId: string; readonly field: string; readonly path: string }[]> {
  return db
    .selectFrom('job_inputs')
    .select(['job_id as jobId', 'field'])
    .select(sql<string>`path`.as('path'))
    .where(sql<boolean>`path is not null`)
    .where('kept_since_ms', '<', options.beforeMs)
    .limit(options.limit)
    .execute();
}
