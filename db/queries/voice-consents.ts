import type { Queryable, Trx } from '../schema.ts';
import type { VoiceConsentRow, VoiceRevoker } from '../schema/voice.ts';

/** The key of a member's consent in one voice channel. */
export interface VoiceConsentKey {
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
}

/** Records that a member agreed, for this channel and session. Replaces any earlier consent for the channel. */
export async function putVoiceConsent(
  db: Queryable,
  consent: Omit<VoiceConsentRow, 'revoked_at_ms' | 'revoked_by'>,
): Promise<void> {
  const { guild_id: _guild, channel_id: _channel, user_id: _user, ...values } = consent;
  const open = { revoked_at_ms: null, revoked_by: null };
  await db
    .insertInto('voice_consents')
    .values({ ...consent, ...open })
    .onConflict((conflict) =>
      conflict.columns(['guild_id', 'channel_id', 'user_id']).doUpdateSet({ ...values, ...open }),
    )
    .execute();
}

/** Revokes the consent. A repeat keeps the time of the first call. */
export async function revokeVoiceConsent(
  db: Queryable,
  { guildId, channelId, userId }: VoiceConsentKey,
  revoked: { readonly atMs: number; readonly by: VoiceRevoker },
): Promise<void> {
  await db
    .updateTable('voice_consents')
    .set({ revoked_at_ms: revoked.atMs, revoked_by: revoked.by })
    .where('guild_id', '=', guildId)
    .where('channel_id', '=', channelId)
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is', null)
    .execute();
}

/** Revokes all consents for a session that has ended. */
export async function endVoiceConsents(db: Queryable, sessionId: string, atMs: number): Promise<void> {
  await db
    .updateTable('voice_consents')
    .set({ revoked_at_ms: atMs, revoked_by: 'end' })
    .where('session_id', '=', sessionId)
    .where('revoked_at_ms', 'is', null)
    .execute();
}

/** Whether a member has already agreed to this wording in the guild, in any channel. */
export async function hasAgreedToVoice(
  db: Queryable,
  of: { readonly guildId: string; readonly userId: string; readonly textVersion: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('voice_consents')
    .select('user_id')
    .where('guild_id', '=', of.guildId)
    .where('user_id', '=', of.userId)
    .where('text_version', '=', of.textVersion)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns the members whose consent to a session is valid now, at most `limit`. */
export async function listVoiceSpeakers(db: Queryable, sessionId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('voice_consents')
    .select('user_id')
    .where('session_id', '=', sessionId)
    .where('revoked_at_ms', 'is', null)
    .limit(limit)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Returns a member's voice consents across all guilds, newest first, at most `limit`. */
export async function listVoiceConsents(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<VoiceConsentRow[]> {
  return db
    .selectFrom('voice_consents')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('given_at_ms', 'desc')
    .limit(limit)
    .execute();
}

export async function deleteVoiceConsentsOfMember(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('voice_consents').where('user_id', '=', userId).execute();
}

export async function deleteVoiceConsentsOfGuild(trx: Trx, guildId: string): Promise<void> {
  await trx.deleteFrom('voice_consents').where('guild_id', '=', guildId).execute();
  await trx.deleteFrom('voice_panels').where('guild_id', '=', guildId).execute();
}
