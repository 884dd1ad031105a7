import type { Queryable, Trx } from '../schema.ts';
import type { JobRow } from '../schema/jobs.ts';
import type { UndeletedMessageRow } from '../schema/undeleted-messages.ts';

const RETRY_MS = 86_400_000;

/** The location and the owner of a job's messages. */
type Owner = Pick<JobRow, 'guild_id' | 'channel_id' | 'user_id'>;

/**
 * Stores messages of a job that the chat did not let the bot delete. Messages that are already stored stay unchanged.
 */
export async function noteUndeleted(
  db: Queryable,
  { guild_id, channel_id, user_id }: Owner,
  { messageIds, nowMs }: { readonly messageIds: readonly string[]; readonly nowMs: number },
): Promise<void> {
  if (messageIds.length === 0) return;
  const common = { guild_id, channel_id, user_id, noted_at_ms: nowMs, due_at_ms: nowMs + RETRY_MS };
  await db
    .insertInto('undeleted_messages')
    .values(messageIds.map((message_id) => ({ message_id, ...common })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function isUndeleted(db: Queryable, messageId: string): Promise<boolean> {
  const found = await db
    .selectFrom('undeleted_messages')
    .select('message_id')
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns a member's undeleted messages, oldest first, at most `limit`. */
export async function listUndeleted(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<UndeletedMessageRow[]> {
  return db
    .selectFrom('undeleted_messages')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('noted_at_ms')
    .limit(limit)
    .execute();
}

/** Returns the undeleted message that has been due longest, or undefined if none is due. */
export async function findDueUndeleted(
  db: Queryable,
  nowMs: number,
): Promise<UndeletedMessageRow | undefined> {
  return db
    .selectFrom('undeleted_messages')
    .selectAll()
    .where('due_at_ms', '<=', nowMs)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Sets the next attempt for all messages in a channel to `dueAtMs`, because a chat that refuses to delete one of them
 * refuses to delete all.
 */
export async function deferUndeletedOf(db: Queryable, channelId: string, dueAtMs: number): Promise<void> {
  await db
    .updateTable('undeleted_messages')
    .set({ due_at_ms: dueAtMs })
    .where('channel_id', '=', channelId)
    .execute();
}

/** Deletes the row of a message that no longer exists. */
export async function deleteUndeletedMessage(db: Queryable, messageId: string): Promise<void> {
  await db.deleteFrom('undeleted_messages').where('message_id', '=', messageId).execute();
}

/** Deletes the rows of messages stored before `beforeMs`. The bot no longer tries to delete these messages. */
export async function deleteOldUndeletedMessages(db: Queryable, beforeMs: number): Promise<void> {
  await db.deleteFrom('undeleted_messages').where('noted_at_ms', '<', beforeMs).execute();
}

export async function deleteUndeletedOfGuild(trx: Trx, guildId: string): Promise<void> {
  await trx.deleteFrom('undeleted_messages').where('guild_id', '=', guildId).execute();
}
