import { FILE_SIZE_BYTES_DEFAULT } from './file-limits.ts';
import type { Interaction } from './interaction.ts';
import type { Payload } from './payload.ts';
import { messagePayload } from './message-payload.ts';
import { channelPayload, memberPayload, permissionText, userPayload } from './payloads.ts';
import type { World } from './world.ts';

/** Returns an interaction as its bot receives it. */
export function interactionPayload(world: World, interaction: Interaction): Payload {
  const { guild, member, channel, application, user } = interaction;
  const bot = guild?.members.get(application.bot.id);
  const inGuild =
    guild && member
      ? {
          guild_id: guild.id,
          guild: { id: guild.id, locale: guild.preferredLocale, features: [] },
          guild_locale: guild.preferredLocale,
          member: { ...memberPayload(member), permissions: permissionText(guild, member, channel) },
        }
      : { user: userPayload(user) };
  return {
    id: interaction.id,
    application_id: application.id,
    type: interaction.type,
    version: 1,
    token: interaction.token,
    data: interaction.data,
    channel_id: channel.id,
    channel: {
      ...channelPayload(channel),
      ...(guild && member ? { permissions: permissionText(guild, member, channel) } : {}),
    },
    ...inGuild,
    ...(interaction.source ? { message: messagePayload(world, interaction.source) } : {}),
    app_permissions: guild && bot ? permissionText(guild, bot, channel) : '0',
    locale: 'en-US',
    entitlements: [],
    entitlement_sku_ids: [],
    // Who installed the app: the server (0) or, if the bot is not in the server, the user (1).
    authorizing_integration_owners: guild && !bot ? { 1: user.id } : { 0: guild?.id ?? '0' },
    context: guild ? 0 : 1,
    attachment_size_limit: guild?.attachmentSizeLimitBytes ?? FILE_SIZE_BYTES_DEFAULT,
  };
}
