import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { GuildRulesRow, RuleEntryRow, RuleKind } from '../schema/guild-rules.ts';

/** Returns the rules that a guild's admins set, if any. */
export async function findGuildRules(db: Queryable, guildId: string): Promise<GuildRulesRow | undefined> {
  return db.selectFrom('guild_rules').selectAll().where('guild_id', '=', guildId).executeTakeFirst();
}

/** Changes the given rules of a guild. */
export async function putGuildRules(
  db: Queryable,
  rules: Partial<GuildRulesRow> & Pick<GuildRulesRow, 'guild_id' | 'updated_at_ms'>,
): Promise<void> {
  const { guild_id: _, ...changes } = rules;
  const none = {
    cooldown_seconds: null,
    concurrent_max: null,
    age_restricted_only: null,
    reports_channel_id: null,
  };
  await db
    .insertInto('guild_rules')
    .values({ ...none, ...rules })
    .onConflict((conflict) => conflict.column('guild_id').doUpdateSet(changes))
    .execute();
}

/** Returns the entries that a guild allows or denies, at most `limit`, in a fixed order. */
export async function listRuleEntries(
  db: Queryable,
  guildId: string,
  limit: number,
): Promise<RuleEntryRow[]> {
  return db
    .selectFrom('guild_rule_entries')
    .selectAll()
    .where('guild_id', '=', guildId)
    .orderBy('kind')
    .orderBy('target')
    .limit(limit)
    .execute();
}

/** Stores an entry, replacing any earlier one for the same target. */
export async function putRuleEntry(trx: Trx, entry: RuleEntryRow): Promise<void> {
  await trx
    .insertInto('guild_rule_entries')
    .values(entry)
    .onConflict((conflict) =>
      conflict.columns(['guild_id', 'kind', 'target']).doUpdateSet({ effect: entry.effect }),
    )
    .execute();
}

/** Deletes an entry. Returns false if it does not exist. */
export async function deleteRuleEntry(
  trx: Trx,
  entry: { readonly guildId: string; readonly kind: RuleKind; readonly target: string },
): Promise<boolean> {
  const deleted = await trx
    .deleteFrom('guild_rule_entries')
    .where('guild_id', '=', entry.guildId)
    .where('kind', '=', entry.kind)
    .where('target', '=', entry.target)
    .returning('target')
    .executeTakeFirst();
  return deleted !== undefined;
}

/**
 * Replaces a member with `pseudonym` in every guild's block list. A list that already contains both keeps one entry.
 */
export async function renameBlockedMember(trx: Trx, userId: string, pseudonym: string): Promise<void> {
  await trx
    .deleteFrom('guild_rule_entries')
    .where(sql<boolean>`kind = 'member'`)
    .where('target', '=', pseudonym)
    .where('guild_id', 'in', (eb) =>
      eb
        .selectFrom('guild_rule_entries')
        .select('guild_id')
        .where(sql<boolean>`kind = 'member'`)
        .where('target', '=', userId),
    )
    .execute();
  await trx
    .updateTable('guild_rule_entries')
    .set({ target: pseudonym })
    .where('kind', '=', 'member')
    .where('target', '=', userId)
    .execute();
}

export async function deleteGuildRules(trx: Trx, guildId: string): Promise<void> {
  await trx.deleteFrom('guild_rule_entries').where('guild_id', '=', guildId).execute();
  await trx.deleteFrom('guild_rules').where('guild_id', '=', guildId).execute();
}
