import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';

/** A job that has not been sent to the service yet. */
export interface UnsentJob {
  readonly id: string;
  readonly userId: string;
  readonly turn: number;
}

/**
 * The stages are literals, because SQLite would not use partial indexes if they were parameters. A job that waits for a
 * price confirmation takes no turn.
 */
const isUnsent = sql<boolean>`stage in ('accepted', 'fetched', 'uploaded', 'submitting')
  and (asked_at_ms is null or confirmed_at_ms is not null)`;

/** Returns the unsent jobs of a guild in the order of their turns, at most `limit`. */
export async function listUnsentOfGuild(
  db: Queryable,
  guildId: string,
  limit: number,
): Promise<readonly UnsentJob[]> {
  return db
    .selectFrom('jobs')
    .select(['id', 'user_id as userId', 'turn'])
    .where(isUnsent)
    .where('guild_id', '=', guildId)
    .orderBy('turn')
    .limit(limit)
    .execute();
}

/**
 * Returns the current turn: the lowest turn of all unsent jobs or, if there are none, one more than the highest turn so
 * far.
 */
export async function turnNow(db: Queryable): Promise<number> {
  const first = await db
    .selectFrom('jobs')
    .select('turn')
    .where(isUnsent)
    .orderBy('turn')
    .limit(1)
    .executeTakeFirst();
  if (first) return first.turn;
  const last = await db.selectFrom('jobs').select('turn').orderBy('turn', 'desc').limit(1).executeTakeFirst();
  return (last?.turn ?? 0) + 1;
}

export async function moveTurn(trx: Trx, id: string, turn: number): Promise<void> {
  await trx.updateTable('jobs').set({ turn }).where('id', '=', id).execute();
}
