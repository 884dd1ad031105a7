import { type RawBuilder, sql } from 'kysely';
import type { JobRow, Queryable } from '../schema.ts';
import { isOpen } from './jobs.ts';

/** What a delivery needs to know of the job whose path it came by. */
export type CallbackJob = Pick<JobRow, 'id' | 'callback_token' | 'service_job_id' | 'stage'>;

export async function listJobsOfCallbacks(db: Queryable, tokens: readonly string[]): Promise<CallbackJob[]> {
  return db
    .selectFrom('jobs')
    .select(['id', 'callback_token', 'service_job_id', 'stage'])
    .where('callback_token', 'in', listOf(tokens))
    .execute();
}

/** Makes open jobs due now; one that a worker has, as soon as that worker gives it up. */
export async function wakeJobs(db: Queryable, ids: readonly string[], nowMs: number): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('jobs')
    .set({
      woken_at_ms: nowMs,
      due_at_ms: sql`case when lease_until_ms > ${nowMs} or due_at_ms < ${nowMs} then due_at_ms else ${nowMs} end`,
    })
    .where(isOpen)
    .where('id', 'in', listOf(ids))
    .execute();
}

/** As one parameter, so that every number of values is the same statement. */
function listOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`(select value from json_each(${JSON.stringify(values)}))`;
}
