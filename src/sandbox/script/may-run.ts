import type { Command } from '../chat/command.ts';
import type { Channel, Guild, Member } from '../chat/guild.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';

/** Throws where Discord's client would not let the member run the command. */
export function assertMayRun(guild: Guild, member: Member, command: Command, channel: Channel): void {
  const { name, nsfw, default_member_permissions: needed } = command.definition;
  if (nsfw === true && !channel.isAgeRestricted) {
    throw new Error(`Cannot run "${name}": #${channel.name} is not age-restricted`);
  }
  const bits = permissionsOf(guild, member, channel);
  const isAdmin = allows(bits, 'ADMINISTRATOR');
  const lacks = needed ? needed === '0' || (bits & BigInt(needed)) !== BigInt(needed) : false;
  if (!isAdmin && (lacks || !allows(bits, 'USE_APPLICATION_COMMANDS'))) {
    const who = member.user.globalName ?? member.user.username;
    throw new Error(`Cannot run "${name}": ${who} does not have the permission`);
  }
}
