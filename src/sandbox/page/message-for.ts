import type { Attachment } from '../chat/attachment.ts';
import { TOKEN_LIFETIME_MS } from '../chat/interaction.ts';
import type { Channel } from '../chat/guild.ts';
import { attachmentPayload } from '../chat/message-media.ts';
import { messagePayload } from '../chat/message-payload.ts';
import { type Message, hasFlag } from '../chat/message.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';
import type { User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { MessageView } from '../script/message-view.ts';
import type {
  PageComponent,
  PageEmbed,
  PageExcerpt,
  PageFile,
  PageMessage,
  PageMessages,
} from './message-views.ts';
import { userIn } from './people.ts';

const EXCERPT_LENGTH = 120;

/** Whether `viewer` may see a channel's content. */
export function maySee(world: World, channel: Channel, viewer: User): boolean {
  if (channel.guildId === null) return channel.recipients.includes(viewer);
  const guild = world.guilds.get(channel.guildId);
  const member = guild?.members.get(viewer.id);
  return Boolean(guild && member && allows(permissionsOf(guild, member, channel), 'VIEW_CHANNEL'));
}

/**
 * Whether `viewer` may read a message: its channel must be visible, and an ephemeral message must be the viewer's own.
 */
export function mayRead(world: World, message: Message, viewer: User): boolean {
  const channel = world.channels.get(message.channelId);
  if (!channel || !maySee(world, channel, viewer)) return false;
  return !hasFlag(message, 'EPHEMERAL') || message.origin?.user === viewer;
}

/** Returns the last `limit` messages that `viewer` may read and that are older than `before`. */
export function messagesFor(
  world: World,
  channel: Channel,
  viewer: User,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number },
): PageMessages {
  const end = before === undefined ? undefined : BigInt(before);
  const found: Message[] = [];
  for (const message of channel.messages.toReversed()) {
    if (end !== undefined && BigInt(message.id) >= end) continue;
    if (message.deletedAtMs !== null || !mayRead(world, message, viewer)) continue;
    found.push(message);
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit).toReversed();
  return {
    messages: shown.map((message) => messageFor(world, message, viewer)),
    more: found.length > limit,
  };
}

/** Returns a message as `viewer` sees it. The caller must have checked that `viewer` may read it. */
export function messageFor(world: World, message: Message, viewer: User): PageMessage {
  const { body, origin, guildId } = message;
  const payload = messagePayload(world, message);
  const isGone = message.deletedAtMs !== null;
  return {
    id: message.id,
    channel_id: message.channelId,
    guild_id: guildId,
    version: message.version,
    deleted: isGone,
    author: userIn(world, guildId, message.author),
    content: isGone ? '' : body.content,
    mentions: mentionsFor(world, message, viewer),
    embeds: isGone ? [] : (payload['embeds'] as PageEmbed[]),
    components: isGone ? [] : (payload['components'] as PageComponent[]),
    components_v2: hasFlag(message, 'IS_COMPONENTS_V2'),
    attachments: isGone ? [] : body.attachments.map((file) => fileView(world, file)),
    ephemeral: hasFlag(message, 'EPHEMERAL'),
    created_at_ms: message.createdAtMs,
    edited_at_ms: message.editedAtMs,
    thinking_until_ms: hasFlag(message, 'LOADING') ? message.createdAtMs + TOKEN_LIFETIME_MS : null,
    used:
      origin && origin.followUpTo === null
        ? { by: userIn(world, guildId, origin.user), command: origin.commandName }
        : null,
    reply_to: answered(world, message, viewer),
    forwarded: isGone ? null : forwardedView(world, message),
  };
}

function mentionsFor(world: World, { body, guildId }: Message, viewer: User): PageMessage['mentions'] {
  const { users, roleIds, everyone } = body.mentions;
  const own = guildId === null ? [] : (world.guilds.get(guildId)?.members.get(viewer.id)?.roleIds ?? []);
  return {
    users: users.map((user) => ({ id: user.id, name: userIn(world, guildId, user).name })),
    role_ids: roleIds,
    everyone,
    me: everyone || users.includes(viewer) || roleIds.some((id) => own.includes(id)),
  };
}

/**
 * Returns the message that the client shows above `message`: the message to which it replies, the first reply to the
 * same use of the bot, or the message whose component was used.
 */
function answered(world: World, message: Message, viewer: User): PageExcerpt | null {
  const { replyToId, origin, channelId } = message;
  const source = origin?.interactionType === 3 ? origin.sourceMessageId : null;
  const id = replyToId ?? origin?.followUpTo ?? source;
  if (id === null || id === message.id) return null;
  const found = world.channels.get(channelId)?.messages.findLast((entry) => entry.id === id);
  if (!found || found.deletedAtMs !== null || !mayRead(world, found, viewer)) {
    return { id, author: null, text: '', has_files: false };
  }
  const lines = new MessageView(world, found).text.split('\n').filter((line) => line.trim() !== '');
  return {
    id,
    author: userIn(world, found.guildId, found.author),
    text: (lines[0] ?? '').slice(0, EXCERPT_LENGTH),
    has_files: found.body.attachments.length > 0,
  };
}

function forwardedView(world: World, { forwarded }: Message): PageMessage['forwarded'] {
  if (forwarded === null) return null;
  const { message, body } = forwarded;
  const payload = messagePayload(world, { ...message, body, origin: null, forwarded: null, replyToId: null });
  return {
    content: body.content,
    embeds: payload['embeds'] as PageEmbed[],
    attachments: body.attachments.map((file) => fileView(world, file)),
  };
}

function fileView(world: World, file: Attachment): PageFile {
  return {
    id: file.id,
    filename: file.filename,
    content_type: file.contentType,
    size: file.bytes.byteLength,
    url: String(attachmentPayload(world, file)['url']),
    description: file.description,
    width: file.width,
    height: file.height,
  };
}
