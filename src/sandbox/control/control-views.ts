import type { Payload } from '../chat/payload.ts';
import type { SandboxGuild } from '../script/sandbox-guild.ts';
import type { MessageView } from '../script/message-view.ts';
import type { UseOfBot } from '../script/use-of-bot.ts';

/** Returns a message as the control API sends it. */
export function messageView(message: MessageView): Payload {
  return {
    id: message.id,
    channel_id: message.channelId,
    author: message.author,
    by_bot: message.byBot,
    content: message.content,
    text: message.text,
    embeds: message.embeds,
    components: message.components,
    attachments: message.attachments.map((file) => ({
      id: file.id,
      filename: file.filename,
      content_type: file.contentType,
      size: file.size,
      url: file.url,
    })),
    flags: message.flags,
    mentions: message.mentions,
    created_at_ms: message.createdAtMs,
    edited_count: message.editedCount,
    history: message.history.map((entry) => ({
      at_ms: entry.atMs,
      content: entry.content,
      filenames: entry.filenames,
    })),
  };
}

/** Returns a use of the bot as the control API sends it. */
export function useView(use: UseOfBot): Payload {
  return {
    id: use.id,
    state: use.state,
    acknowledged_after_ms: use.acknowledgedAfterMs,
    reply: use.reply ? messageView(use.reply) : null,
    follow_ups: use.followUps.map(messageView),
    form: use.form,
  };
}

/** Returns a guild with its channels, members and roles. */
export function guildView(guild: SandboxGuild): Payload {
  const { channels, members, roles } = guild.entity;
  return {
    id: guild.id,
    name: guild.name,
    channels: [...channels.values()].map(({ id, name, kind }) => ({ id, name, kind })),
    members: [...members.values()].map(({ user, nick, roleIds }) => ({
      id: user.id,
      name: user.globalName ?? user.username,
      nick,
      bot: user.bot,
      role_ids: roleIds,
    })),
    roles: [...roles.values()].map(({ id, name, permissions }) => ({
      id,
      name,
      permissions: String(permissions),
    })),
  };
}
