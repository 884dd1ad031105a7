import type { SandboxChannel, SandboxGuild } from './script/sandbox-guild.ts';
import type { SandboxMember } from './script/sandbox-member.ts';

/** One community of the demo, with its channels and members by name. */
export interface SeededGuild {
  readonly guild: SandboxGuild;
  readonly channels: Readonly<
    Record<'general' | 'clips' | 'portraits' | 'moderators' | 'lounge' | 'booth' | 'stage', SandboxChannel>
  >;
  readonly members: Readonly<Record<'ada' | 'ben' | 'chloe' | 'chidi', SandboxMember>>;
}

type People = Readonly<Record<'ada' | 'ben' | 'chloe' | 'chidi', string | SandboxMember>>;

/**
 * Adds two communities with four members each. Ada runs both, and Chloe is in both. The other members are in only one.
 */
export function seedCommunities(addGuild: (name: string) => SandboxGuild): {
  readonly filmClub: SeededGuild;
  readonly nightRadio: SeededGuild;
} {
  const names = { ada: 'Ada', ben: 'Ben', chloe: 'Chloe', chidi: 'Chidi' };
  const filmClub = seedGuild(addGuild('Film club'), names);
  const { ada, chloe } = filmClub.members;
  const nightRadio = seedGuild(addGuild('Night radio'), { ada, ben: 'Bo', chloe, chidi: 'Cleo' });
  return { filmClub, nightRadio };
}

/**
 * Ada is an admin, Chloe moderates calls, and the other two have no special role. Moderators have a channel of their
 * own.
 */
function seedGuild(guild: SandboxGuild, people: People): SeededGuild {
  const admins = guild.addRole(
    'Admins',
    'MANAGE_GUILD',
    'MANAGE_MESSAGES',
    'MUTE_MEMBERS',
    'DEAFEN_MEMBERS',
    'MOVE_MEMBERS',
  );
  const hosts = guild.addRole('Hosts', 'MUTE_MEMBERS', 'MOVE_MEMBERS', 'MANAGE_MESSAGES');
  const channels = {
    general: guild.addTextChannel('general'),
    clips: guild.addTextChannel('clips'),
    portraits: guild.addTextChannel('portraits'),
    moderators: guild.addTextChannel('moderators'),
    lounge: guild.addVoiceChannel('Lounge'),
    booth: guild.addVoiceChannel('Booth', { userLimit: 4 }),
    stage: guild.addStageChannel('Stage'),
  };
  channels.moderators.forbids('everyone', 'VIEW_CHANNEL');
  for (const grantee of [admins, hosts, 'bot'] as const) channels.moderators.permits(grantee, 'VIEW_CHANNEL');
  return {
    guild,
    channels,
    members: {
      ada: guild.addMember(people.ada, { roles: [admins] }),
      ben: guild.addMember(people.ben),
      chloe: guild.addMember(people.chloe, { roles: [hosts] }),
      chidi: guild.addMember(people.chidi),
    },
  };
}
