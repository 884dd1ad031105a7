import { sql } from 'kysely';
import type { Queryable } from '../schema.ts';
import type { JobRow, TakenBack } from '../schema/jobs.ts';

/** The stages are literals, because SQLite would not use partial indexes if they were parameters. */
const isOpen = sql<boolean>`stage not in ('settled', 'abandoned')`;
/** Jobs whose card has not been posted yet. `isOver` selects all others. */
const isUnderWay = sql<boolean>`stage not in ('posted', 'settled')`;
const isOver = sql<boolean>`stage in ('posted', 'settled')`;
/**
 * Jobs that are not at the service, including those that still wait for a slot after attempts that created no job at
 * the service.
 */
const isUnsent = sql<boolean>`(stage in ('accepted', 'fetched', 'uploaded')
  or (stage = 'submitting' and lease_owner is null and clean_attempts >= attempts))`;
const isKnown = sql<boolean>`stage <> 'abandoned'`;

/** Returns the jobs of a guild, or of one member in it, newest first, leaving out deleted jobs. */
export async function listJobs(
  db: Queryable,
  of: {
    readonly guildId: string;
    readonly userId?: string;
    readonly which: 'open' | 'ended';
    readonly offset: number;
    readonly limit: number;
  },
): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where(isKnown)
    .where('guild_id', '=', of.guildId)
    .$if(of.userId !== undefined, (query) => query.where('user_id', '=', of.userId ?? ''))
    .where(of.which === 'open' ? isUnderWay : isOver)
    .where(sql<boolean>`(taken_back is null or taken_back <> 'deleted')`)
    .orderBy('accepted_at_ms', 'desc')
    .offset(of.offset)
    .limit(of.limit)
    .execute();
}

/** Whether a retry of the job is running. */
export async function hasOpenRetry(db: Queryable, jobId: string): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .select('id')
    .where('retry_of', '=', jobId)
    .where(sql<boolean>`retry_of is not null`)
    .where(isOpen)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Cancels a job that has not been sent to the service yet. Returns the job if this call ended it. The fence increases,
 * so that a worker that holds the job can record nothing more, and therefore sends nothing more.
 */
export async function cancelUnsentJob(
  db: Queryable,
  options: { readonly id: string; readonly takenBack: TakenBack; readonly nowMs: number },
): Promise<JobRow | undefined> {
  const { id, takenBack, nowMs } = options;
  return db
    .updateTable('jobs')
    .set({
      stage: 'collected',
      line: null,
      outcome: 'failed',
      failure: JSON.stringify({ reason: 'cancelled' }),
      charged_micros: sql`0`,
      taken_back: takenBack,
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
    .where(isUnsent)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Records that the member cancelled or deleted a job. A deleted job stays deleted. Returns `undefined` if it is too
 * late to cancel, because its card is being posted or was posted.
 */
export async function takeBackJob(
  db: Queryable,
  options: { readonly id: string; readonly takenBack: TakenBack; readonly nowMs: number },
): Promise<JobRow | undefined> {
  return db
    .updateTable('jobs')
    .set({
      taken_back: sql`case when taken_back = 'deleted' then 'deleted' else ${options.takenBack} end`,
      updated_at_ms: options.nowMs,
    })
    .where('id', '=', options.id)
    .where(isKnown)
    .$if(options.takenBack === 'cancelled', (query) =>
      query.where(
        sql<boolean>`stage not in ('posted', 'settled') and not (stage = 'collected' and lease_owner is not null)`,
      ),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Records that none of a deleted job's messages and files are left. */
export async function recordCleared(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ reply_message_id: null, result_message_id: null, result_path: null, chat_path: null })
    .where('id', '=', id)
    .execute();
}

/** Returns deleted jobs that have ended and may still have messages or files, at most `limit`. */
export async function listUncleared(db: Queryable, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where(sql<boolean>`taken_back = 'deleted' and (reply_message_id is not null or result_path is not null)`)
    .where(sql<boolean>`stage = 'settled'`)
    .limit(limit)
    .execute();
}

/**
 * Clears the source links of a job's inputs (they are signed), and the paths of their files, which have been removed.
 */
export async function clearInputFiles(db: Queryable, jobId: string): Promise<void> {
  await db.updateTable('job_inputs').set({ url: '', path: null }).where('job_id', '=', jobId).execute();
}
