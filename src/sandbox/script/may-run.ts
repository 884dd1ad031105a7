import type { Command } from '../chat/command.ts';
import type { Channel, Guild, Member } from '../chat/guild.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';

/** Throws if Discord's client would not let the member run the command. */
export function assertMayRun(guild: Guild, member: Member, command: Command, channel: Channel): void {
  const { name, nsfw } = command.definition;
  if (nsfw === true && !channel.isAgeRestricted) {
    throw new Error(`Cannot run "${name}": #${channel.name} is not age-restricted`);
  }
  if (!isPermitted(guild, member, command, channel)) {
    const who = member.user.globalName ?? member.user.username;
    throw new Error(`Cannot run "${name}": ${who} does not have the permission`);
  }
}

/** Whether Discord's client offers the command to the member in this channel. */
export function mayRun(guild: Guild, member: Member, command: Command, channel: Channel): boolean {
  const fitsAge = command.definition.nsfw !== true || channel.isAgeRestricted;
  return fitsAge && isPermitted(guild, member, command, channel);
}

function isPermitted(guild: Guild, member: Member, command: Command, channel: Channel): boolean {
  const { default_member_permissions: needed } = command.definition;
  const bits = permissionsOf(guild, member, channel);
  const isAdmin = allows(bits, 'ADMINISTRATOR');
  const lacks = needed ? needed === '0' || (bits & BigInt(needed)) !== BigInt(needed) : false;
  return isAdmin || (!lacks && allows(bits, 'USE_APPLICATION_COMMANDS'));
}
