import type { Selectable } from 'kysely';

/** A message of a deleted job that the chat does not let the bot delete. The bot tries again once a day. */
export interface UndeletedMessagesTable {
  message_id: string;
  channel_id: string;
  guild_id: string;
  user_id: string;
  noted_at_ms: number;
  /** When the bot next tries to delete the message. */
  due_at_ms: number;
}

export type UndeletedMessageRow = Selectable<UndeletedMessagesTable>;
