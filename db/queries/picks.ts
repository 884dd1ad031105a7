import type { Queryable, Trx } from '../schema.ts';
import type { NewPick, PickRow } from '../schema/picks.ts';

export async function insertPick(db: Queryable, pick: NewPick): Promise<void> {
  await db.insertInto('picks').values(pick).execute();
}

/** Returns a pick that belongs to the member and was made at or after `sinceMs`. */
export async function findPick(
  db: Queryable,
  which: { readonly id: string; readonly guildId: string; readonly userId: string; readonly sinceMs: number },
): Promise<PickRow | undefined> {
  return db
    .selectFrom('picks')
    .selectAll()
    .where('id', '=', which.id)
    .where('guild_id', '=', which.guildId)
    .where('user_id', '=', which.userId)
    .where('made_at_ms', '>=', which.sinceMs)
    .executeTakeFirst();
}

/** Deletes all picks of a member except the newest `keep`. */
export async function deleteOlderPicks(
  db: Queryable,
  of: { readonly userId: string; readonly keep: number },
): Promise<void> {
  await db
    .deleteFrom('picks')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('picks')
        .select('id')
        .where('user_id', '=', of.userId)
        .orderBy('made_at_ms', 'desc')
        // An offset requires a limit. A member never has more picks than this.
        .limit(1_000)
        .offset(of.keep),
    )
    .execute();
}

/** Deletes at most `limit` picks made before `beforeMs`. Returns their number. */
export async function purgePicks(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<number> {
  const purged = await db
    .deleteFrom('picks')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('picks')
        .select('id')
        .where('made_at_ms', '<', options.beforeMs)
        .orderBy('made_at_ms')
        .limit(options.limit),
    )
    .executeTakeFirst();
  return Number(purged.numDeletedRows);
}

/** Deletes a member's picks, and other members' picks of this member's files. */
export async function deletePicksOfMember(trx: Trx, userId: string, untilMs: number): Promise<void> {
  await trx.deleteFrom('picks').where('user_id', '=', userId).execute();
  await trx
    .deleteFrom('picks')
    .where('made_at_ms', '<=', untilMs)
    .where('files', 'like', `%${userId}%`)
    .execute();
}

export async function deletePicksOfGuild(trx: Trx, guildId: string): Promise<void> {
  await trx.deleteFrom('picks').where('guild_id', '=', guildId).execute();
}
