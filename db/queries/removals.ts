import { sql } from 'kysely';
import { isPostgres, skipLocked } from '../dialect.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { RemovalKind, RemovalRow } from '../schema/removals.ts';

/** Identifies a removal: of a member's data across all guilds, or of a guild's data. */
interface RemovalKey {
  readonly kind: RemovalKind;
  readonly subjectId: string;
}

/** Records that data must be removed. A repeat extends the removal to data up to the new time. */
export async function insertRemoval(
  trx: Trx,
  removal: RemovalKey & { readonly secret: string; readonly nowMs: number },
): Promise<void> {
  const { kind, subjectId, secret, nowMs } = removal;
  await trx
    .insertInto('removals')
    .values({ kind, subject_id: subjectId, secret, requested_at_ms: nowMs, due_at_ms: nowMs })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'subject_id'])
        .doUpdateSet({ requested_at_ms: nowMs, due_at_ms: nowMs, attempts: 0 }),
    )
    .execute();
}

/**
 * Returns the removal that has been due for the longest time. Counts an attempt and makes it due again at `retryAtMs`.
 */
export async function claimRemoval(
  db: Queryable,
  options: { readonly nowMs: number; readonly retryAtMs: number },
): Promise<RemovalRow | undefined> {
  return db
    .updateTable('removals')
    .set({ due_at_ms: options.retryAtMs, attempts: sql`attempts + 1` })
    .where(
      sql<boolean>`(kind, subject_id) = (
        select kind, subject_id from removals where due_at_ms <= ${options.nowMs} order by due_at_ms limit 1 ${skipLocked(db)})`,
    )
    .returningAll()
    .executeTakeFirst();
}

/** Makes a removal due at `due_at_ms`, and stores the number of consecutive failed attempts. */
export async function deferRemoval(
  db: Queryable,
  key: RemovalKey,
  next: { readonly due_at_ms: number; readonly attempts: number },
): Promise<void> {
  await db
    .updateTable('removals')
    .set(next)
    .where('kind', '=', key.kind)
    .where('subject_id', '=', key.subjectId)
    .execute();
}

/** Returns when the next removal is due; `undefined` if there is none. */
export async function nextRemovalAtMs(db: Queryable): Promise<number | undefined> {
  const next = await db
    .selectFrom('removals')
    .select('due_at_ms')
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
  return next?.due_at_ms;
}

/** Deletes a removal that is done, unless it was requested again in the meantime. */
export async function deleteRemoval(trx: Trx, removal: RemovalRow): Promise<boolean> {
  const deleted = await trx
    .deleteFrom('removals')
    .where('kind', '=', removal.kind)
    .where('subject_id', '=', removal.subject_id)
    .where('requested_at_ms', '=', removal.requested_at_ms)
    .returning('kind')
    .executeTakeFirst();
  return deleted !== undefined;
}

/** Records that the bot left this guild. A repeat keeps the time of the first call. */
export async function putDeparture(db: Queryable, guildId: string, leftAtMs: number): Promise<void> {
  await db
    .insertInto('departed_guilds')
    .values({ guild_id: guildId, left_at_ms: leftAtMs })
    .onConflict((conflict) => conflict.column('guild_id').doNothing())
    .execute();
}

export async function deleteDeparture(db: Queryable, guildId: string): Promise<void> {
  await db.deleteFrom('departed_guilds').where('guild_id', '=', guildId).execute();
}

/** Returns guilds that the bot left before `beforeMs`, earliest first, at most `limit`. */
export async function listDepartures(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('departed_guilds')
    .select('guild_id')
    .where('left_at_ms', '<=', options.beforeMs)
    .orderBy('left_at_ms')
    .limit(options.limit)
    .execute();
  return rows.map((row) => row.guild_id);
}

/**
 * Removes deleted data from the files on disk: copies changed pages to the database file and truncates the write-ahead
 * log. Returns false if a reader prevents this; a retry can succeed. Does nothing in PostgreSQL, which reuses the space
 * after its next vacuum.
 */
export async function purgeDeletedData(db: Queryable): Promise<boolean> {
  if (isPostgres(db)) return true;
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
  return rows[0]?.busy === 0;
}
