import type { Queryable, Trx } from '../schema.ts';
import type { BudgetSettingsRow } from '../schema/caps.ts';

/** Returns the money settings that a guild's admins chose, if any. */
export async function findBudgetSettings(
  db: Queryable,
  guildId: string,
): Promise<BudgetSettingsRow | undefined> {
  return db.selectFrom('budget_settings').selectAll().where('guild_id', '=', guildId).executeTakeFirst();
}

/** Changes the given settings of a guild. */
export async function putBudgetSettings(
  trx: Trx,
  guildId: string,
  changes: Partial<Omit<BudgetSettingsRow, 'guild_id'>>,
): Promise<void> {
  const none = { time_zone: null, confirm_above_micros: null, alerts_channel_id: null, voice_renewal: null };
  await trx
    .insertInto('budget_settings')
    .values({ guild_id: guildId, ...none, ...changes })
    .onConflict((conflict) => conflict.column('guild_id').doUpdateSet({ guild_id: guildId, ...changes }))
    .execute();
}

/** Returns the roles that may manage a guild's budget, at most `limit`, in a fixed order. */
export async function listBudgetManagers(db: Queryable, guildId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('budget_managers')
    .select('role_id')
    .where('guild_id', '=', guildId)
    .orderBy('role_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.role_id);
}

/** Allows a role to manage the budget. A repeat is harmless. */
export async function putBudgetManager(trx: Trx, guildId: string, roleId: string): Promise<void> {
  await trx
    .insertInto('budget_managers')
    .values({ guild_id: guildId, role_id: roleId })
    .onConflict((conflict) => conflict.columns(['guild_id', 'role_id']).doNothing())
    .execute();
}

/** Revokes a role's permission to manage the budget. Returns false if it had none. */
export async function deleteBudgetManager(trx: Trx, guildId: string, roleId: string): Promise<boolean> {
  const deleted = await trx
    .deleteFrom('budget_managers')
    .where('guild_id', '=', guildId)
    .where('role_id', '=', roleId)
    .returning('role_id')
    .executeTakeFirst();
  return deleted !== undefined;
}
