import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { JobRow } from '../schema/jobs.ts';
import { isPostgres, rowsOf } from '../dialect.ts';
import { isOpen } from './jobs.ts';

/** The job columns that are needed to process a delivery. */
export type CallbackJob = Pick<
  JobRow,
  'id' | 'interaction_id' | 'callback_token' | 'service_job_id' | 'stage'
>;

/** Returns the jobs with these callback tokens. No other transaction can change them until this one ends. */
export async function listJobsOfCallbacks(trx: Trx, tokens: readonly string[]): Promise<CallbackJob[]> {
  const found = trx
    .selectFrom('jobs')
    .select(['id', 'interaction_id', 'callback_token', 'service_job_id', 'stage'])
    .where('callback_token', 'in', sql<string>`(select value from ${rowsOf(trx, tokens)})`);
  // In SQLite no other transaction runs. In PostgreSQL the rows are locked, always in the same order.
  return isPostgres(trx) ? found.orderBy('id').forUpdate().execute() : found.execute();
}

/** Makes open jobs due now. A job that a worker holds becomes due when the worker releases it. */
export async function wakeJobs(db: Queryable, ids: readonly string[], nowMs: number): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('jobs')
    .set({
      woken_at_ms: nowMs,
      due_at_ms: sql`case when lease_until_ms > ${nowMs} or due_at_ms < ${nowMs} then due_at_ms else ${nowMs} end`,
    })
    .where(isOpen)
    .where('id', 'in', sql<string>`(select value from ${rowsOf(db, ids)})`)
    .execute();
}
