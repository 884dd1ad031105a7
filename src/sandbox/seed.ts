import type { SandboxChannel, SandboxGuild } from './script/guild-script.ts';
import type { SandboxMember } from './script/member-script.ts';

/** One community of the demo, with everything in it by name. */
export interface SeededGuild {
  readonly guild: SandboxGuild;
  readonly channels: Readonly<Record<'general' | 'clips' | 'lounge' | 'stage', SandboxChannel>>;
  readonly members: Readonly<Record<'ada' | 'ben' | 'chidi', SandboxMember>>;
}

/** Two communities that share a member: Ada runs them, Ben and Chidi take part. */
export function seedCommunities(addGuild: (name: string) => SandboxGuild): {
  readonly filmClub: SeededGuild;
  readonly nightRadio: SeededGuild;
} {
  const filmClub = seedGuild(addGuild('Film club'), { ada: 'Ada', ben: 'Ben', chidi: 'Chidi' });
  const nightRadio = seedGuild(addGuild('Night radio'), {
    ada: filmClub.members.ada,
    ben: 'Bo',
    chidi: 'Cleo',
  });
  return { filmClub, nightRadio };
}

function seedGuild(
  guild: SandboxGuild,
  people: Readonly<Record<'ada' | 'ben' | 'chidi', string | SandboxMember>>,
): SeededGuild {
  const moderators = guild.addRole(
    'Moderators',
    'MANAGE_GUILD',
    'MANAGE_MESSAGES',
    'MUTE_MEMBERS',
    'MOVE_MEMBERS',
  );
  return {
    guild,
    channels: {
      general: guild.addTextChannel('general'),
      clips: guild.addTextChannel('clips'),
      lounge: guild.addVoiceChannel('Lounge'),
      stage: guild.addStageChannel('Stage'),
    },
    members: {
      ada: guild.addMember(people.ada, { roles: [moderators] }),
      ben: guild.addMember(people.ben),
      chidi: guild.addMember(people.chidi),
    },
  };
}
