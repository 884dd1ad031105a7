import { ApplicationCommandType, ApplicationIntegrationType, InteractionContextType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import {
  type Command,
  type CommandData,
  IN_SERVERS_ONLY,
  type MenuCommand,
} from '../../../../src/bot/discord/command.ts';
import { COMMAND_DEFINITIONS } from '../../../../commands/all.ts';
import { type Stage, sentence, useHandlers } from '../use-handlers.ts';

const MANAGE_GUILD = '32';
const ADMINISTRATOR = '8';

/** A definition with fewer restrictions, which Discord may still apply after an update of the bot. */
const LOOSE: Partial<CommandData> = {
  integration_types: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
};

function command(changes: Partial<CommandData>): Command {
  return {
    data: { name: 'rules', description: 'x', ...IN_SERVERS_ONLY, ...changes },
    execute: () => Promise.resolve({ kind: 'reply', reply: sentence('Done') }),
  };
}

function menu(changes: Partial<CommandData>): MenuCommand {
  const { default_member_permissions: permissions = null, nsfw = false } = changes;
  return {
    data: {
      name: 'Rules',
      type: ApplicationCommandType.User,
      ...IN_SERVERS_ONLY,
      default_member_permissions: permissions,
      nsfw,
    },
    answer: 'private',
    execute: () => Promise.resolve({ kind: 'reply', reply: sentence('Done') }),
  };
}

/** Registers the command with as few restrictions as possible; only the bot itself enforces `changes`. */
async function useDemands(changes: Partial<CommandData>): Promise<Stage> {
  const stage = await useHandlers({ commands: [command(LOOSE)], menus: [menu({})] });
  await stage.restart({ commands: [command(changes)], menus: [menu(changes)] });
  return stage;
}

describe('the bot checks the restrictions of a definition again at each use', () => {
  test.each<[string, Partial<CommandData>, 'ada' | 'owner', (stage: Stage) => void, string]>([
    ['everybody may use it', {}, 'ada', () => undefined, 'Done'],
    [
      'a permission is missing',
      { default_member_permissions: MANAGE_GUILD },
      'ada',
      () => undefined,
      'permission',
    ],
    [
      'the permission is present',
      { default_member_permissions: MANAGE_GUILD },
      'owner',
      () => undefined,
      'Done',
    ],
    ['only admins may use it', { default_member_permissions: '0' }, 'ada', () => undefined, 'permission'],
    [
      'an admin uses a command for admins',
      { default_member_permissions: '0' },
      'owner',
      () => undefined,
      'Done',
    ],
    ['the channel is for every age', { nsfw: true }, 'ada', () => undefined, 'age-restricted'],
    [
      'the channel is age-restricted',
      { nsfw: true },
      'ada',
      ({ channel }) => channel.becomesAgeRestricted(),
      'Done',
    ],
    [
      'the bot is not a member of the server',
      {},
      'ada',
      ({ guild }) => guild.removesBot(),
      'where the bot itself was added',
    ],
    ['the member has installed the bot', LOOSE, 'ada', ({ guild }) => guild.removesBot(), 'Done'],
  ])('%s', async (_what, changes, who, prepare, expected) => {
    const stage = await useDemands(changes);
    prepare(stage);
    const member = who === 'ada' ? stage.ada : stage.guild.owner;

    const use = await member.runs('/rules', { in: stage.channel });

    expect((await use.replied()).text).toContain(expected);
    expect(use.reply?.flags.ephemeral).toBe(expected !== 'Done');
    expect(stage.logged).toEqual([]);
  });

  test('a context menu is checked as well', async () => {
    const stage = await useDemands({ default_member_permissions: MANAGE_GUILD });

    const use = await stage.ada.runsOn('Rules', stage.guild.owner, { in: stage.channel });

    expect((await use.replied()).text).toContain('You do not have the permission');
  });
});

/** The commands that not everyone may use in every channel, and the restrictions with which they are registered. */
const RESTRICTED: ReadonlyMap<string, Pick<CommandData, 'default_member_permissions' | 'nsfw'>> = new Map([
  ['access', { default_member_permissions: MANAGE_GUILD, nsfw: false }],
  // The bot decides at each use who may use this command. The permission only hides it from most members' command
  // lists.
  ['operator', { default_member_permissions: ADMINISTRATOR, nsfw: false }],
]);
const FOR_EVERYBODY = { default_member_permissions: null, nsfw: false };

test.each(COMMAND_DEFINITIONS.map((definition) => [definition.name, definition] as const))(
  'registers where and by whom "%s" may be used',
  (name, definition) => {
    expect(definition).toMatchObject({
      contexts: [InteractionContextType.Guild],
      integration_types: [ApplicationIntegrationType.GuildInstall],
      ...(RESTRICTED.get(name) ?? FOR_EVERYBODY),
    });
  },
);
