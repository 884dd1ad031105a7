import type { Interaction, PermissionsBitField } from 'discord.js';
import { z } from 'zod';
import { DiscordError } from '../wire/discord-error.ts';
import { parsePart, snowflake } from './interaction-parts.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';

/** The upload limit in bytes that applies to everyone, for interactions in which Discord does not give one. */
const ATTACHMENT_LIMIT_BYTES_DEFAULT = 10 * 1024 * 1024;

const origin: z.ZodType<CallOrigin> = z.object({
  interactionId: snowflake,
  applicationId: snowflake,
  guildId: snowflake,
  channelId: snowflake,
  parentChannelIds: z.array(snowflake).max(2).nullable(),
  isAgeRestricted: z.boolean(),
  userId: snowflake,
  roleIds: z.array(snowflake).max(1_000),
  isAdmin: z.boolean(),
  isModerator: z.boolean(),
  isVoiceModerator: z.boolean(),
  locale: z.string().max(20),
  interactionToken: z.string().regex(/^[\w.~=+-]{1,1000}$/),
  receivedAtMs: z.int(),
  attachmentSizeLimitBytes: z.int().positive().catch(ATTACHMENT_LIMIT_BYTES_DEFAULT),
});

/**
 * Parses the member, the place and the time of an interaction. Throws `DiscordError`: `wrong_place` outside servers, or
 * `malformed`.
 */
export function parseOrigin(interaction: Interaction, receivedAtMs: number): CallOrigin {
  if (interaction.guildId === null) {
    throw new DiscordError('wrong_place', 'Cannot run a command: used outside of a server', {
      userMessage: 'This works in servers only.',
    });
  }
  return parsePart(origin, {
    interactionId: interaction.id,
    applicationId: interaction.applicationId,
    guildId: interaction.guildId,
    channelId: interaction.channelId,
    ...placeOf(interaction),
    userId: interaction.user.id,
    roleIds: roleIdsOf(interaction),
    isAdmin: interaction.memberPermissions?.has('ManageGuild') ?? false,
    isModerator: serverPermissionsOf(interaction)?.has('ManageMessages') ?? false,
    isVoiceModerator: serverPermissionsOf(interaction)?.any(['MoveMembers', 'MuteMembers']) ?? false,
    locale: interaction.locale,
    interactionToken: interaction.token,
    receivedAtMs,
    attachmentSizeLimitBytes: interaction.attachmentSizeLimit,
  });
}

/**
 * A thread has its parent channel's age restriction. An interaction in a private thread that the bot is not in has no
 * `channel`, because Discord does not send such a thread to the client.
 */
function placeOf({ channel }: Interaction): Pick<CallOrigin, 'parentChannelIds' | 'isAgeRestricted'> {
  if (!channel) return { parentChannelIds: null, isAgeRestricted: false };
  const place = channel.isThread() ? channel.parent : channel;
  const parents = [channel, ...(place && place !== channel ? [place] : [])];
  return {
    parentChannelIds: parents.flatMap((one) =>
      'parentId' in one && one.parentId !== null ? [one.parentId] : [],
    ),
    isAgeRestricted: place !== null && 'nsfw' in place && place.nsfw,
  };
}

/**
 * Returns the permissions that the member's roles give in the whole server, because permissions for one channel must
 * not count for others. Only the client's cache contains the roles' permissions.
 */
function serverPermissionsOf(interaction: Interaction): Readonly<PermissionsBitField> | null {
  return interaction.inCachedGuild() ? interaction.member.permissions : interaction.memberPermissions;
}

/**
 * For a server that is not in the client's cache, returns the roles that Discord lists in the interaction and adds the
 * `@everyone` role, which that list omits.
 */
function roleIdsOf(interaction: Interaction): readonly string[] {
  if (interaction.inCachedGuild()) return [...interaction.member.roles.cache.keys()];
  return interaction.inRawGuild() ? [...interaction.member.roles, interaction.guildId] : [];
}
