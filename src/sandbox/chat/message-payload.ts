import type { Message, MessageOrigin, Snapshot } from './message.ts';
import { attachmentPayload, componentWithMedia, embedWithMedia } from './message-media.ts';
import type { Payload } from './payload.ts';
import { bareMemberPayload, isoTime, userPayload } from './payloads.ts';
import type { Application } from './user.ts';
import type { World } from './world.ts';

/** Returns a message as the API sends it, with new links. */
export function messagePayload(world: World, message: Message): Payload {
  const { body, origin } = message;
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    content: body.content,
    author: userPayload(message.author),
    mentions: body.mentions.users.map(userPayload),
    mention_roles: [...body.mentions.roleIds],
    mention_everyone: body.mentions.everyone,
    attachments: body.attachments.map((attachment) => attachmentPayload(world, attachment)),
    embeds: body.embeds.map((embed) => embedWithMedia(world, message, embed)),
    components: body.components.map((component) => componentWithMedia(world, message, component)),
    timestamp: isoTime(message.createdAtMs),
    edited_timestamp: message.editedAtMs === null ? null : isoTime(message.editedAtMs),
    flags: body.flags,
    pinned: false,
    tts: false,
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(origin ? originPayload(origin) : {}),
    ...(message.replyToId === null
      ? {}
      : {
          message_reference: {
            type: 0,
            channel_id: message.channelId,
            message_id: message.replyToId,
            ...(message.guildId === null ? {} : { guild_id: message.guildId }),
          },
        }),
    ...(message.forwarded === null ? {} : forwardPayload(world, message.forwarded)),
  };
}

/**
 * Returns the fields that a forward adds to a message: a reference to the source message, and a snapshot of that
 * message from the time of the forward, without its author.
 */
function forwardPayload(world: World, { message, body }: Snapshot): Payload {
  const {
    id: _id,
    channel_id: _channel,
    author: _author,
    ...shown
  } = messagePayload(world, { ...message, body, origin: null, forwarded: null, replyToId: null });
  return {
    message_reference: {
      type: 1,
      channel_id: message.channelId,
      message_id: message.id,
      ...(message.guildId === null ? {} : { guild_id: message.guildId }),
    },
    message_snapshots: [{ message: shown }],
  };
}

/**
 * Returns a message as the gateway sends it, with the guild and the author's member. Its content is blank if the bot
 * lacks MESSAGE_CONTENT.
 */
export function messageEventPayload(world: World, message: Message, viewer: Application): Payload {
  const guild = message.guildId === null ? undefined : world.guilds.get(message.guildId);
  const member = guild?.members.get(message.author.id);
  return {
    ...messagePayloadFor(world, message, viewer),
    ...(guild ? { guild_id: guild.id } : {}),
    ...(member ? { member: bareMemberPayload(member) } : {}),
  };
}

/** Returns a message as the API sends it to `viewer`. Its content is blank if the bot lacks MESSAGE_CONTENT. */
export function messagePayloadFor(world: World, message: Message, viewer: Application): Payload {
  const mayRead =
    viewer.privilegedIntents ||
    message.guildId === null ||
    message.author.id === viewer.bot.id ||
    message.body.mentions.users.some((user) => user.id === viewer.bot.id);
  const snapshots = message.forwarded === null ? {} : { message_snapshots: [] };
  const blank = { content: '', embeds: [], attachments: [], components: [], ...snapshots };
  return { ...messagePayload(world, message), ...(mayRead ? {} : blank) };
}

function originPayload(origin: MessageOrigin): Payload {
  const owners = { 0: origin.guildId ?? '0' };
  return {
    application_id: origin.applicationId,
    webhook_id: origin.applicationId,
    interaction_metadata: {
      id: origin.interactionId,
      type: origin.interactionType,
      user: userPayload(origin.user),
      authorizing_integration_owners: owners,
      ...(origin.followUpTo === null ? {} : { original_response_message_id: origin.followUpTo }),
      ...(origin.interactionType === 3 ? { interacted_message_id: origin.sourceMessageId } : {}),
      ...(origin.opener ? { triggering_interaction_metadata: openerPayload(origin.opener, owners) } : {}),
    },
    ...(origin.commandName === null
      ? {}
      : {
          interaction: {
            id: origin.interactionId,
            type: origin.interactionType,
            name: origin.commandName,
            user: userPayload(origin.user),
          },
        }),
  };
}

function openerPayload(opener: MessageOrigin, owners: Payload): Payload {
  return {
    id: opener.interactionId,
    type: opener.interactionType,
    user: userPayload(opener.user),
    authorizing_integration_owners: owners,
    ...(opener.interactionType === 3 ? { interacted_message_id: opener.sourceMessageId } : {}),
  };
}
