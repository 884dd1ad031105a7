import type { Guild, Member } from './guild.ts';
import type { Payload } from './payload.ts';
import { memberPayload } from './payloads.ts';
import type { World } from './world.ts';

const INTENT_GUILD_MEMBERS = 2;

/** Sends an event about a member to the bots. A bot receives changes to its own member regardless of its intents. */
export function emitMember(world: World, guild: Guild, member: Member, event: string): void {
  const data = (): Payload => ({ ...memberPayload(member), guild_id: guild.id });
  const self = [...world.applications.values()].find((entry) => entry.bot.id === member.user.id);
  if (self && event === 'GUILD_MEMBER_UPDATE') {
    world.emit({ event, intents: 0, applicationId: self.id, guildId: guild.id, data });
  } else {
    world.emit({ event, intents: INTENT_GUILD_MEMBERS, guildId: guild.id, data });
  }
}
