import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { HoldRow } from '../schema/ledger.ts';
import type { NewOverrunWatch, OverrunWatch } from '../schema/overruns.ts';
import { isOpen } from './jobs.ts';

/** The maximum number of members with waiting jobs that are listed for one guild. Real guilds stay far below it. */
const WAITING_MAX = 5_000;

/** A member whose jobs in a guild wait for the review of a charge. */
export interface WatchedMember {
  readonly guildId: string;
  readonly userId: string;
}

/** Stores a charge that must be reviewed. */
export async function putOverrunWatch(trx: Trx, watch: NewOverrunWatch): Promise<void> {
  await trx
    .insertInto('overrun_watches')
    .values(watch)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Returns the oldest charge of a member that has not been reviewed. `names` are the ids under which the member is
 * stored.
 */
export async function findOverrunWatch(
  db: Queryable,
  { guildId, names }: { readonly guildId: string; readonly names: readonly string[] },
): Promise<OverrunWatch | undefined> {
  return db
    .selectFrom('overrun_watches')
    .selectAll()
    .where('guild_id', '=', guildId)
    .where('user_id', 'in', names)
    .orderBy('made_at_ms')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the oldest charges that have not been reviewed, in one guild or across all guilds. */
export async function listOverrunWatches(
  db: Queryable,
  options: { readonly guildId?: string; readonly limit: number },
): Promise<OverrunWatch[]> {
  const { guildId, limit } = options;
  return db
    .selectFrom('overrun_watches')
    .selectAll()
    .$if(guildId !== undefined, (query) => query.where('guild_id', '=', guildId ?? ''))
    .orderBy('made_at_ms')
    .limit(limit)
    .execute();
}

/** Records that a charge needs no review, because it was corrected and is no longer far above its hold. */
export async function dropOverrunWatch(trx: Trx, subject: string): Promise<void> {
  await trx.deleteFrom('overrun_watches').where('subject', '=', subject).execute();
}

/**
 * Records that a member's charges in a guild have been reviewed. `names` are the ids under which the member is stored.
 * Returns false if no charge needed a review.
 */
export async function deleteOverrunWatches(
  trx: Trx,
  { guildId, names }: { readonly guildId: string; readonly names: readonly string[] },
): Promise<boolean> {
  const deleted = await trx
    .deleteFrom('overrun_watches')
    .where('guild_id', '=', guildId)
    .where('user_id', 'in', names)
    .returning('subject')
    .execute();
  return deleted.length > 0;
}

/** The jobs of a guild that wait for a confirmation or for the review of an earlier charge. */
const isWaiting = sql<boolean>`stage = 'fetched' and asked_at_ms is not null and confirmed_at_ms is null`;

/** Returns the members of a guild who have waiting jobs, at most `WAITING_MAX`. */
export async function listWaitingMembers(db: Queryable, guildId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('user_id')
    .distinct()
    .where(isOpen)
    .where('guild_id', '=', guildId)
    .where(isWaiting)
    .limit(WAITING_MAX)
    .execute();
  return rows.map(({ user_id: userId }) => userId);
}

/** Makes the waiting jobs of these members due now. */
export async function wakeWaitingJobs(
  trx: Trx,
  of: { readonly guildId: string; readonly userIds: readonly string[]; readonly nowMs: number },
): Promise<void> {
  const { guildId, userIds, nowMs } = of;
  if (userIds.length === 0) return;
  await trx
    .updateTable('jobs')
    .set({
      // Restarts the time limit, so that members have the full time to answer if their jobs ask for a price
      // confirmation.
      asked_at_ms: nowMs,
      woken_at_ms: nowMs,
      due_at_ms: sql`case when lease_until_ms > ${nowMs} or due_at_ms < ${nowMs} then due_at_ms else ${nowMs} end`,
    })
    .where(isOpen)
    .where('guild_id', '=', guildId)
    .where('user_id', 'in', userIds)
    .where(isWaiting)
    .execute();
}

/** Returns charges above their holds in one guild or across all guilds, newest first. */
export async function listOverruns(
  db: Queryable,
  options: { readonly guildId?: string; readonly offset: number; readonly limit: number },
): Promise<HoldRow[]> {
  const { guildId, offset, limit } = options;
  return (
    db
      .selectFrom('holds')
      .selectAll()
      .where(sql<boolean>`overrun_micros > 0`)
      // Excludes corrections that were booked as overruns although the corrected charge is within the hold.
      .where(sql<boolean>`charged_micros > amount_micros`)
      .$if(guildId !== undefined, (query) => query.where('guild_id', '=', guildId ?? ''))
      .orderBy('resolved_at_ms', 'desc')
      .offset(offset)
      .limit(limit)
      .execute()
  );
}
