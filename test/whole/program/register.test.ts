import { describe, expect, test } from 'vitest';
import { COMMAND_DEFINITIONS } from '../../../commands/all.ts';
import { useOwnClient } from '../../bot/discord/use-bot.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { MANY_COMMANDS, useSandbox } from '../../helpers/use-sandbox.ts';
import { type Program, useProgram } from './use-program.ts';

const NAMES = COMMAND_DEFINITIONS.map(({ name }) => name);

interface Report {
  readonly registered: readonly { readonly name: string; readonly change: string }[];
  readonly guild_id: string | null;
}

async function report(program: Program): Promise<Report> {
  const line = await program.ready();
  expect((await program.ended()).code).toBe(0);
  expect(program.lines).toHaveLength(1);
  return line as unknown as Report;
}

describe('register', () => {
  test(
    "publishes only changed commands with the token alone, and does not change a host's commands",
    { timeout: 90_000 },
    async () => {
      const sandbox = await useSandbox({ commandLimit: MANY_COMMANDS });
      const { client } = await useOwnClient(sandbox);
      await client.application.commands.create({ name: 'ping', description: 'Of the host' });
      const env = { DISCORD_TOKEN: sandbox.token, DISCORD_API_URL: sandbox.apiUrl };
      const cwd = await useFolder();

      const first = await report(useProgram(['register'], env, cwd));
      const second = await report(useProgram(['register'], env, cwd));

      expect(first.guild_id).toBeNull();
      expect(first.registered.map(({ name, change }) => `${name} ${change}`)).toEqual(
        NAMES.map((name) => `${name} created`),
      );
      expect(new Set(second.registered.map(({ change }) => change))).toEqual(new Set(['unchanged']));
      const there = (await client.application.commands.fetch()).map(({ name }) => name);
      expect(there.sort()).toEqual(['ping', ...NAMES].sort());
    },
  );

  test('publishes in one server only on request', { timeout: 90_000 }, async () => {
    const sandbox = await useSandbox({ commandLimit: MANY_COMMANDS });
    const guild = sandbox.addGuild('Film club');
    const { client } = await useOwnClient(sandbox);
    const env = { DISCORD_TOKEN: sandbox.token, DISCORD_API_URL: sandbox.apiUrl };

    const { guild_id: guildId } = await report(
      useProgram(['register', '--guild', guild.id], env, await useFolder()),
    );

    expect(guildId).toBe(guild.id);
    expect((await client.application.commands.fetch()).size).toBe(0);
    expect((await client.application.commands.fetch({ guildId: guild.id })).size).toBe(NAMES.length);
  });

  test.each<[string, readonly string[], Record<string, string>, RegExp]>([
    ['there is no token', [], {}, /^DISCORD_TOKEN holds nothing: register needs the token of the bot$/],
    [
      'an argument is unknown',
      ['--guild', 'x'],
      { DISCORD_TOKEN: 'x' },
      /^register takes no arguments, or --guild/,
    ],
  ])('reports in one line that %s', async (_what, args, env, expected) => {
    const { code, stderr } = await useProgram(['register', ...args], env, await useFolder()).ended();

    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(expected);
  });

  test('reports in one line that Discord rejects the token', async () => {
    const sandbox = await useSandbox();
    const env = { DISCORD_TOKEN: 'wrong', DISCORD_API_URL: sandbox.apiUrl };

    const { code, stderr } = await useProgram(['register'], env, await useFolder()).ended();

    expect(code).toBe(1);
    expect(stderr.trim()).toBe('Cannot register commands: the bot token is refused');
    sandbox.takeViolations();
  });
});
