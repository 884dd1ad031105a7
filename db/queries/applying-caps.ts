import { prepared } from '../prepared.ts';
import type { Queryable } from '../schema.ts';
import type { CapRow } from '../schema/caps.ts';

interface UseKey {
  readonly guildId: string;
  readonly userId: string;
  /** The pseudonym that replaces the member's id once their data is deleted. */
  readonly pseudonym: string;
  readonly capability: string;
}

const findCaps = prepared((db, key: Record<'guildId' | 'userId' | 'pseudonym' | 'capability', string>) =>
  db
    .selectFrom('caps')
    .selectAll()
    .where('guild_id', '=', key.guildId)
    .where((eb) =>
      eb.or([eb('target_kind', '<>', 'member'), eb('target_id', 'in', [key.userId, key.pseudonym])]),
    )
    .where((eb) => eb.or([eb('capability', '=', ''), eb('capability', '=', key.capability)])),
);

/**
 * Returns the caps that may limit a member's use of a capability: those of the guild, the operator, all roles and the
 * member. If the capability is empty, returns only caps on all capabilities together.
 */
export async function listApplyingCaps(db: Queryable, key: UseKey): Promise<CapRow[]> {
  return findCaps(db, { ...key });
}

/** Returns the caps that may limit a member, for all capabilities, in a fixed order. */
export async function listCapsOfMember(
  db: Queryable,
  { guildId, userId, pseudonym }: Omit<UseKey, 'capability'>,
): Promise<CapRow[]> {
  return db
    .selectFrom('caps')
    .selectAll()
    .where('guild_id', '=', guildId)
    .where((eb) => eb.or([eb('target_kind', '<>', 'member'), eb('target_id', 'in', [userId, pseudonym])]))
    .orderBy('target_kind')
    .orderBy('target_id')
    .orderBy('capability')
    .orderBy('period')
    .execute();
}

/** Returns the caps of a guild in a fixed order, at most `limit`. */
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
