import { ApiError } from '../chat/api-error.ts';
import type { Channel } from '../chat/guild.ts';
import { type PermissionName, allows, permissionsOf } from '../chat/permissions.ts';
import { type Call, caller, param } from './route.ts';

/** Returns the channel in the path. Throws 10003 if it does not exist, and 50001 if the bot may not see it. */
export function visibleChannel(call: Call): Channel {
  const channel = call.world.channel(param(call, 'channelId'));
  if (!mayInChannel(call, channel, 'VIEW_CHANNEL')) throw new ApiError('missingAccess');
  return channel;
}

/** Throws 50013 unless the bot has all of these permissions in the channel. */
export function demand(call: Call, channel: Channel, ...names: readonly PermissionName[]): void {
  if (!names.every((name) => mayInChannel(call, channel, name))) throw new ApiError('missingPermissions');
}

/** Whether the calling bot has a permission in a channel. In its own direct messages, the bot has all permissions. */
export function mayInChannel(call: Call, channel: Channel, name: PermissionName): boolean {
  const bot = caller(call).bot;
  const guild = call.world.guildOf(channel);
  if (!guild) return channel.recipients.some((user) => user.id === bot.id);
  const member = guild.members.get(bot.id);
  return member !== undefined && allows(permissionsOf(guild, member, channel), name);
}
