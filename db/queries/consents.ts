import type { Queryable, Trx } from '../schema.ts';
import type { AvatarConsentRow } from '../schema/faces.ts';

/** The user id that stands for everyone who is not named. */
export const EVERYBODY = '';

/** Stores an owner's consent for their avatar, replacing any earlier one for the same user. */
export async function putAvatarConsent(db: Queryable, consent: AvatarConsentRow): Promise<void> {
  const { guild_id: _guild, owner_id: _owner, user_id: _user, ...values } = consent;
  await db
    .insertInto('avatar_consents')
    .values(consent)
    .onConflict((conflict) => conflict.columns(['guild_id', 'owner_id', 'user_id']).doUpdateSet(values))
    .execute();
}

/** Deletes all consents of an owner for their avatar in a guild. */
export async function deleteAvatarConsents(
  db: Queryable,
  of: { readonly guildId: string; readonly ownerId: string },
): Promise<void> {
  await db
    .deleteFrom('avatar_consents')
    .where('guild_id', '=', of.guildId)
    .where('owner_id', '=', of.ownerId)
    .execute();
}

/** Returns the owner's consents for this user and for everyone. */
export async function findAvatarConsents(
  db: Queryable,
  of: { readonly guildId: string; readonly ownerId: string; readonly userId: string },
): Promise<AvatarConsentRow[]> {
  return db
    .selectFrom('avatar_consents')
    .selectAll()
    .where('guild_id', '=', of.guildId)
    .where('owner_id', '=', of.ownerId)
    .where('user_id', 'in', [of.userId, EVERYBODY])
    .execute();
}

/** Returns a member's consents for their avatar across all guilds, at most `limit`. */
export async function listAvatarConsents(
  db: Queryable,
  ownerId: string,
  limit: number,
): Promise<AvatarConsentRow[]> {
  return db.selectFrom('avatar_consents').selectAll().where('owner_id', '=', ownerId).limit(limit).execute();
}

/** Returns the number of members that an owner has named in a guild, not counting `userId`. */
export async function countOthersNamed(
  db: Queryable,
  of: { readonly guildId: string; readonly ownerId: string; readonly userId: string },
): Promise<number> {
  const counted = await db
    .selectFrom('avatar_consents')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('guild_id', '=', of.guildId)
    .where('owner_id', '=', of.ownerId)
    .where('user_id', 'not in', [of.userId, EVERYBODY])
    .executeTakeFirstOrThrow();
  return counted.count;
}

/** Deletes a member's consents, and the consents that others gave to this member. */
export async function deleteConsentsOfMember(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('avatar_consents').where('owner_id', '=', userId).execute();
  await trx.deleteFrom('avatar_consents').where('user_id', '=', userId).execute();
}

export async function deleteConsentsOfGuild(trx: Trx, guildId: string): Promise<void> {
  await trx.deleteFrom('avatar_consents').where('guild_id', '=', guildId).execute();
}

/** Records that this member's face must never be swapped. A repeat keeps the time of the first request. */
export async function putNeverSwap(
  db: Queryable,
  wish: { readonly user_id: string; readonly since_ms: number; readonly text_version: string },
): Promise<void> {
  await db
    .insertInto('never_swap')
    .values(wish)
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
}

export async function deleteNeverSwap(db: Queryable, userId: string): Promise<void> {
  await db.deleteFrom('never_swap').where('user_id', '=', userId).execute();
}

/** Returns the members among `userIds` whose face must never be swapped, each with the time of their request. */
export async function listNeverSwap(
  db: Queryable,
  userIds: readonly string[],
): Promise<{ readonly user_id: string; readonly since_ms: number; readonly text_version: string }[]> {
  if (userIds.length === 0) return [];
  return db.selectFrom('never_swap').selectAll().where('user_id', 'in', userIds).execute();
}
