import type { Interaction } from 'discord.js';
import { z } from 'zod';
import type { CallOrigin } from '../jobs/ports.ts';
import { DiscordError } from './errors.ts';
import { parsePart, snowflake } from './interaction-parts.ts';

/** What Discord lets everybody upload, should it not say. */
const ATTACHMENT_LIMIT_BYTES_DEFAULT = 10 * 1024 * 1024;

const origin: z.ZodType<CallOrigin> = z.object({
  interactionId: snowflake,
  applicationId: snowflake,
  guildId: snowflake,
  channelId: snowflake,
  parentChannelId: snowflake.nullable(),
  isAgeRestricted: z.boolean(),
  userId: snowflake,
  roleIds: z.array(snowflake).max(1_000),
  isAdmin: z.boolean(),
  isModerator: z.boolean(),
  locale: z.string().max(20),
  interactionToken: z.string().regex(/^[\w.~=+-]{1,1000}$/),
  receivedAtMs: z.int(),
  attachmentSizeLimitBytes: z.int().positive().catch(ATTACHMENT_LIMIT_BYTES_DEFAULT),
});

/** Who asked, where and when. Throws `DiscordError`: `wrong_place` outside of servers, `malformed` otherwise. */
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
    isModerator: interaction.memberPermissions?.has('ManageMessages') ?? false,
    locale: interaction.locale,
    interactionToken: interaction.token,
    receivedAtMs,
    attachmentSizeLimitBytes: interaction.attachmentSizeLimit,
  });
}

/** A thread has the age restriction of the channel that it belongs to. */
function placeOf({ channel }: Interaction): Pick<CallOrigin, 'parentChannelId' | 'isAgeRestricted'> {
  const place = channel?.isThread() ? channel.parent : channel;
  return {
    parentChannelId: channel && 'parentId' in channel ? channel.parentId : null,
    isAgeRestricted: place !== null && 'nsfw' in place && place.nsfw,
  };
}

/** Of a server that is not in the client's cache, Discord's own list, which leaves out the role of everybody. */
function roleIdsOf(interaction: Interaction): readonly string[] {
  if (interaction.inCachedGuild()) return [...interaction.member.roles.cache.keys()];
  return interaction.inRawGuild() ? [...interaction.member.roles, interaction.guildId] : [];
}
