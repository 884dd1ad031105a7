import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { JobRow } from '../schema/jobs.ts';

/** The stage is a literal, because SQLite would not use partial indexes if it were a parameter. */
const isWaiting = sql<boolean>`stage = 'fetched' and asked_at_ms is not null
  and confirmed_at_ms is null and taken_back is null`;

/** Whether the job waits for its member's confirmation of the price. */
export async function isAsked(db: Queryable, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .select('id')
    .where('id', '=', id)
    .where(isWaiting)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Continues a job that waits for a confirmation, with the time limits of a new job. Returns the job if this call
 * continued it. The fence increases, so that a worker that is ending the job at this moment can record nothing more.
 */
export async function confirmJob(
  trx: Trx,
  { id, turn, nowMs }: { readonly id: string; readonly turn: number; readonly nowMs: number },
): Promise<JobRow | undefined> {
  return trx
    .updateTable('jobs')
    .set({
      confirmed_at_ms: nowMs,
      turn: sql`case when turn < ${turn} then ${turn} else turn end`,
      line: null,
      fence: sql`fence + 1`,
      attempts: 0,
      clean_attempts: 0,
      stage_since_ms: nowMs,
      due_at_ms: nowMs,
      woken_at_ms: null,
      lease_owner: null,
      lease_until_ms: null,
      lost_leases: 0,
      updated_at_ms: nowMs,
    })
    .where('id', '=', id)
    .where(isWaiting)
    .returningAll()
    .executeTakeFirst();
}
