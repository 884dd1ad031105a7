import { prepared } from '../prepared.ts';
import type { Queryable } from '../schema.ts';
import type { CapRow } from '../schema/caps.ts';

interface UseKey {
  readonly guildId: string;
  readonly userId: string;
  readonly capability: string;
}

const findCaps = prepared(
  (db, key: { readonly guildId: string; readonly userId: string; readonly capability: string }) =>
    db
      .selectFrom('caps')
      .selectAll()
      .where('guild_id', '=', key.guildId)
      .where((eb) => eb.or([eb('target_kind', '<>', 'member'), eb('target_id', '=', key.userId)]))
      .where((eb) => eb.or([eb('capability', '=', ''), eb('capability', '=', key.capability)])),
);

/**
 * The caps that may limit a member's use of a capability (empty: only those of everything together): the guild's and
 * the operator's, all roles', and the member's.
 */
export async function listApplyingCaps(db: Queryable, key: UseKey): Promise<CapRow[]> {
  const { guildId, userId, capability } = key;
  return findCaps(db, { guildId, userId, capability });
}

/** As `listApplyingCaps`, of all capabilities, in a fixed order. */
export async function listCapsOfMember(db: Queryable, guildId: string, userId: string): Promise<CapRow[]> {
  return db
    .selectFrom('caps')
    .selectAll()
    .where('guild_id', '=', guildId)
    .where((eb) => eb.or([eb('target_kind', '<>', 'member'), eb('target_id', '=', userId)]))
    .orderBy('target_kind')
    .orderBy('target_id')
    .orderBy('capability')
    .orderBy('period')
    .execute();
}

/** Every cap of a guild in a fixed order, at most `limit`. */
export async function listCapsOfGuild(db: Queryable, guildId: string, limit: number): Promise<CapRow[]> {
  return db
    .selectFrom('caps')
    .selectAll()
    .where('guild_id', '=', guildId)
    .orderBy('target_kind')
    .orderBy('target_id')
    .orderBy('capability')
    .orderBy('period')
    .limit(limit)
    .execute();
}

const findSettings = prepared((db, key: { readonly guildId: string }) =>
  db.selectFrom('budget_settings').select('time_zone').where('guild_id', '=', key.guildId),
);

/** The time zone that a guild's admins chose. */
export async function findTimeZone(db: Queryable, guildId: string): Promise<string | null> {
  const [row] = await findSettings(db, { guildId });
  return row?.time_zone ?? null;
}
