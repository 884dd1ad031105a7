import type { PageMessage } from '../../../../src/sandbox/page/message-views.ts';

const AUTHOR = { id: '1', name: 'Ben', bot: false, avatar_url: null, colour: '#808080' };

/** Creates a message as the page receives it, written `id` milliseconds after the epoch. */
export function aMessage(id: number, changes: Partial<PageMessage> = {}): PageMessage {
  return {
    id: String(id),
    channel_id: '9',
    guild_id: '8',
    version: 1,
    deleted: false,
    author: AUTHOR,
    content: `number ${id}`,
    mentions: { users: [], role_ids: [], everyone: false, me: false },
    embeds: [],
    components: [],
    components_v2: false,
    attachments: [],
    ephemeral: false,
    created_at_ms: id,
    edited_at_ms: null,
    thinking_until_ms: null,
    used: null,
    reply_to: null,
    forwarded: null,
    ...changes,
  };
}
