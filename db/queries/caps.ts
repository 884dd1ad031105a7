import { sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { CapRow } from '../schema/caps.ts';

/** The key of a cap in a guild. `target_id` and `capability` are empty if the cap has none. */
export type CapRowKey = Pick<CapRow, 'guild_id' | 'target_kind' | 'target_id' | 'capability' | 'period'>;

/** Stores a cap, replacing any earlier one with the same key. */
export async function putCap(trx: Trx, cap: CapRow): Promise<void> {
  const { limit_micros, set_by, set_at_ms } = cap;
  await trx
    .insertInto('caps')
    .values(cap)
    .onConflict((conflict) =>
      conflict
        .columns(['guild_id', 'target_kind', 'target_id', 'capability', 'period'])
        .doUpdateSet({ limit_micros, set_by, set_at_ms }),
    )
    .execute();
}

/** Deletes a cap. Returns its limit, or `undefined` if the cap does not exist. */
export async function deleteCap(trx: Trx, key: CapRowKey): Promise<MicroUsd | undefined> {
  const deleted = await trx
    .deleteFrom('caps')
    .where('guild_id', '=', key.guild_id)
    .where('target_kind', '=', key.target_kind)
    .where('target_id', '=', key.target_id)
    .where('capability', '=', key.capability)
    .where('period', '=', key.period)
    .returning('limit_micros')
    .executeTakeFirst();
  return deleted?.limit_micros;
}

/** Returns the caps on one member across all guilds, at most `limit` rows. */
export async function listCapsOnMember(db: Queryable, userId: string, limit: number): Promise<CapRow[]> {
  return db
    .selectFrom('caps')
    .selectAll()
    .where(sql<boolean>`target_kind = 'member'`)
    .where('target_id', '=', userId)
    .limit(limit)
    .execute();
}
