import { ApiError, refuseField } from './api-error.ts';
import { type Attachment, type Upload, cdnFileName } from './attachment.ts';
import { checkComponents, componentPayloads } from './components.ts';
import { FILES_MAX, FILE_SIZE_BYTES_DEFAULT, REQUEST_SIZE_BYTES_MAX } from './file-limits.ts';
import { checkEmbeds, embedPayload } from './embeds.ts';
import type { Channel, Guild } from './guild.ts';
import { imageSize } from './image-size.ts';
import { findMentions } from './find-mentions.ts';
import type { AttachmentEntry, MessageInput } from './message-body.ts';
import { MESSAGE_FLAGS, type Message, type MessageBody, type MessageOrigin } from './message.ts';
import { messageEventPayload } from './message-payload.ts';
import { allows, permissionsOf } from './permissions.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import type { User } from './user.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
/** The maximum number of edits per hour for a message older than an hour. Discord does not publish the number. */
const OLD_EDITS_MAX = 30;
/** The maximum number of messages that are kept in a channel. Older ones are deleted. */
const MESSAGES_PER_CHANNEL_MAX = 5000;
/** The maximum number of states of one message that are stored: its first state and the latest ones. */
const REVISIONS_MAX = 1000;
const GUILD_MESSAGES = 1 << 9;
const DIRECT_MESSAGES = 1 << 12;

/** The data for a new message. */
interface NewMessage {
  readonly author: User;
  readonly input: MessageInput;
  readonly files: readonly Upload[];
  /** Flags set by the sandbox, such as LOADING. */
  readonly flags?: number;
  readonly type?: number;
  readonly origin?: MessageOrigin;
  readonly replyToId?: string;
  readonly forwards?: Message;
}

/** Creates a message in a channel and notifies the bots. Throws `ApiError` if the message exceeds a limit. */
export function createMessage(world: World, channel: Channel, message: NewMessage): Message {
  const { forwards } = message;
  const snapshot = forwards ? MESSAGE_FLAGS.HAS_SNAPSHOT : 0;
  const flags = (message.input.flags ?? 0) | (message.flags ?? 0) | snapshot;
  const body = composeBody(world, channel, message.author, message.input, message.files, {
    flags,
    previous: null,
  });
  const id = world.ids.next();
  const created: Message = {
    id,
    channelId: channel.id,
    guildId: channel.guildId,
    author: message.author,
    type: message.type ?? (message.replyToId ? 19 : 0),
    nonce: message.input.nonce ?? null,
    replyToId: message.replyToId ?? null,
    forwarded: forwards ? { message: forwards, body: forwards.body } : null,
    origin: message.origin ?? null,
    createdAtMs: snowflakeTimeMs(id),
    body,
    revisions: [{ atMs: world.clock.now(), body }],
    editedAtMs: null,
    deletedAtMs: null,
    version: 0,
  };
  keepFiles(world, body);
  channel.messages.push(created);
  if (channel.messages.length > MESSAGES_PER_CHANNEL_MAX) dropOldest(world, channel);
  announce(world, channel, created, 'MESSAGE_CREATE');
  return created;
}

/**
 * Edits a message. Only the fields in `input` change. If `input` has `attachments`, files that it does not list are
 * removed.
 */
export function editMessage(
  world: World,
  channel: Channel,
  message: Message,
  input: MessageInput,
  files: readonly Upload[],
): void {
  checkEditRate(world, message);
  const wasLoading = (message.body.flags & MESSAGE_FLAGS.LOADING) !== 0;
  const kept = message.body.flags & ~(MESSAGE_FLAGS.LOADING | MESSAGE_FLAGS.SUPPRESS_EMBEDS);
  const chosen =
    (input.flags ?? message.body.flags) & (MESSAGE_FLAGS.SUPPRESS_EMBEDS | MESSAGE_FLAGS.IS_COMPONENTS_V2);
  const body = composeBody(world, channel, message.author, input, files, {
    flags: kept | chosen,
    previous: message.body,
  });
  keepFiles(world, body);
  message.body = body;
  const nowMs = world.clock.now();
  if (!wasLoading) message.editedAtMs = nowMs;
  message.revisions.push({ atMs: nowMs, body });
  if (message.revisions.length > REVISIONS_MAX) message.revisions.splice(1, 1);
  announce(world, channel, message, 'MESSAGE_UPDATE');
}

/** Marks a message as deleted and notifies the bots. */
export function deleteMessage(world: World, channel: Channel, message: Message): void {
  message.deletedAtMs = world.clock.now();
  for (const file of message.body.attachments) world.files.delete(file.path);
  touch(world, message);
  if (isEphemeral(message)) return world.changes.notify();
  world.emit({
    event: 'MESSAGE_DELETE',
    intents: channel.guildId === null ? DIRECT_MESSAGES : GUILD_MESSAGES,
    channel,
    ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
    data: () => ({
      id: message.id,
      channel_id: channel.id,
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
    }),
  });
}

function keepFiles(world: World, body: MessageBody): void {
  for (const file of body.attachments) world.files.keep(file);
}

function dropOldest(world: World, channel: Channel): void {
  for (const file of channel.messages.shift()?.body.attachments ?? []) world.files.delete(file.path);
}

function touch(world: World, message: Message): void {
  message.version++;
  world.touch({ is: 'message', message });
}

function announce(world: World, channel: Channel, message: Message, event: string): void {
  touch(world, message);
  if (isEphemeral(message)) return world.changes.notify();
  world.emit({
    event,
    intents: channel.guildId === null ? DIRECT_MESSAGES : GUILD_MESSAGES,
    channel,
    ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
    data: (viewer) => messageEventPayload(world, message, viewer),
  });
}

function isEphemeral(message: Message): boolean {
  return (message.body.flags & MESSAGE_FLAGS.EPHEMERAL) !== 0;
}

function checkEditRate(world: World, message: Message): void {
  const nowMs = world.clock.now();
  if (nowMs - message.createdAtMs < HOUR_MS) return;
  const recent = message.revisions.slice(1).filter((revision) => revision.atMs > nowMs - HOUR_MS);
  if (recent.length >= OLD_EDITS_MAX) throw new ApiError('tooManyOldEdits');
}

interface Composition {
  readonly flags: number;
  /** The body before the edit; null for a new message. */
  readonly previous: MessageBody | null;
}

function composeBody(
  world: World,
  channel: Channel,
  author: User,
  input: MessageInput,
  files: readonly Upload[],
  { flags, previous }: Composition,
): MessageBody {
  const guild = world.guildOf(channel);
  checkFiles(files, guild);
  const content = input.content === undefined ? (previous?.content ?? '') : (input.content ?? '');
  if (input.embeds) checkEmbeds(input.embeds);
  if (input.components) checkComponents(input.components, flags);
  const body: MessageBody = {
    content,
    embeds: input.embeds === undefined ? (previous?.embeds ?? []) : (input.embeds ?? []).map(embedPayload),
    attachments: composeAttachments(world, channel, input.attachments, files, { flags, previous }),
    components:
      input.components === undefined
        ? (previous?.components ?? [])
        : componentPayloads(input.components ?? []),
    flags,
    mentions:
      previous && input.content === undefined
        ? previous.mentions
        : findMentions(
            world,
            guild,
            content,
            input.allowed_mentions,
            mayMentionEveryone(guild, author, channel),
          ),
  };
  checkNotEmpty(body);
  checkReferences(body);
  return body;
}

function mayMentionEveryone(guild: Guild | null, author: User, channel: Channel): boolean {
  const member = guild?.members.get(author.id);
  return Boolean(guild && member && allows(permissionsOf(guild, member, channel), 'MENTION_EVERYONE'));
}

function checkFiles(files: readonly Upload[], guild: Guild | null): void {
  const sizeBytesMax = guild?.attachmentSizeLimitBytes ?? FILE_SIZE_BYTES_DEFAULT;
  const sumBytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0);
  if (sumBytes > REQUEST_SIZE_BYTES_MAX) throw new ApiError('entityTooLarge');
  if (files.some((file) => file.bytes.byteLength > sizeBytesMax)) throw new ApiError('entityTooLarge');
}

/**
 * Returns the attachments of a new or edited message. `entries` refers to new files by their number and to kept files
 * by id. Without `entries`, all old files stay and all new files are added.
 */
function composeAttachments(
  world: World,
  channel: Channel,
  entries: readonly AttachmentEntry[] | null | undefined,
  files: readonly Upload[],
  { flags, previous }: Composition,
): Attachment[] {
  const before = previous?.attachments ?? [];
  const make = (file: Upload, entry?: AttachmentEntry): Attachment =>
    makeFile(world, `/attachments/${channel.id}`, file, {
      ephemeral: (flags & MESSAGE_FLAGS.EPHEMERAL) !== 0,
      description: entry?.description ?? null,
      title: entry?.title ?? null,
    });
  if (!entries) return limited([...before, ...files.map((file) => make(file))]);
  const listed = entries.map((entry, index) => {
    const kept = before.find((attachment) => attachment.id === entry.id);
    if (kept) return { ...kept, description: entry.description ?? kept.description };
    const file = files[Number(entry.id)];
    if (!file) refuseField(`attachments.${index}.id`, 'ATTACHMENT_NOT_FOUND', 'Attachment data not found');
    return make(entry.filename ? { ...file, name: entry.filename } : file, entry);
  });
  if (files.some((_, index) => !entries.some((entry) => entry.id === String(index)))) {
    refuseField('attachments', 'ATTACHMENT_NOT_LISTED', 'Every uploaded file must be listed');
  }
  return limited(listed);
}

function limited(attachments: Attachment[]): Attachment[] {
  if (attachments.length <= FILES_MAX) return attachments;
  return refuseField('attachments', 'BASE_TYPE_BAD_LENGTH', 'Must be between 0 and 10 in length.');
}

/** Creates an attachment with a CDN path below `folder`. The CDN serves it only after a call to `world.files.keep`. */
export function makeFile(
  world: World,
  folder: string,
  file: Upload,
  options: {
    readonly ephemeral?: boolean;
    readonly description?: string | null;
    readonly title?: string | null;
  } = {},
): Attachment {
  const id = world.ids.next();
  const filename = cdnFileName(file.name);
  const size = imageSize(file.bytes);
  return {
    id,
    filename,
    contentType: file.contentType,
    bytes: file.bytes,
    description: options.description ?? null,
    title: options.title ?? null,
    ephemeral: options.ephemeral ?? false,
    width: size?.width ?? null,
    height: size?.height ?? null,
    path: `${folder}/${id}/${filename}`,
  };
}

function checkNotEmpty(body: MessageBody): void {
  const mayBeEmpty = (body.flags & (MESSAGE_FLAGS.LOADING | MESSAGE_FLAGS.HAS_SNAPSHOT)) !== 0;
  const isV2 = (body.flags & MESSAGE_FLAGS.IS_COMPONENTS_V2) !== 0;
  if (isV2 && (body.content !== '' || body.embeds.length > 0)) {
    refuseField(
      'content',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      'The content and embeds fields cannot be used with MessageFlags.IS_COMPONENTS_V2',
    );
  }
  const isEmpty =
    body.content.trim() === '' &&
    body.embeds.length === 0 &&
    body.attachments.length === 0 &&
    body.components.length === 0;
  if (isEmpty && !mayBeEmpty) throw new ApiError('emptyMessage');
}

function checkReferences(body: MessageBody): void {
  const text = JSON.stringify([body.embeds, body.components]);
  for (const [, name] of text.matchAll(/attachment:\/\/([^"\\]+)/g)) {
    if (!body.attachments.some((attachment) => attachment.filename === name)) {
      refuseField('embeds', 'ATTACHMENT_NOT_FOUND', 'An attachment:// link names no file of the message');
    }
  }
}
