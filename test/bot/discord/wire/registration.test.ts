import { type ApplicationCommand, ApplicationCommandType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { avatar } from '../../../../commands/avatar.ts';
import { identitySwap } from '../../../../commands/identity-swap.ts';
import { lipSync } from '../../../../commands/lip-sync.ts';
import { motionTransfer } from '../../../../commands/motion-transfer.ts';
import { photoSwap } from '../../../../commands/photo-swap.ts';
import { videoSwap } from '../../../../commands/video-swap.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import {
  type AnyCommandData,
  type CommandData,
  IN_SERVERS_ONLY,
} from '../../../../src/bot/discord/command.ts';
import { checkCounts, checkDefinitions } from '../../../../src/bot/discord/wire/definition-limits.ts';
import { type Registered, registerCommands } from '../../../../src/bot/discord/wire/register-commands.ts';
import type { Exchange } from '../../../../src/sandbox/rest-exchange.ts';
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts';
import { COMMAND_DEFINITIONS } from '../../../../commands/all.ts';
import { useSandbox } from '../../../helpers/use-sandbox.ts';
import { useOwnClient } from '../use-bot.ts';

interface Registry {
  readonly sandbox: Sandbox;
  readonly register: (
    commands: readonly AnyCommandData[],
    guildId?: string,
  ) => Promise<readonly Registered[]>;
  readonly commands: () => Promise<ApplicationCommand[]>;
  /** Returns the HTTP methods of the command requests since this function was last called. */
  readonly methods: () => string[];
  readonly addForeign: (name: string) => Promise<void>;
  /** Sets the message context menu commands of the bot's host to exactly these. */
  readonly setForeignMenus: (names: readonly string[]) => Promise<void>;
}

async function useRegistry(): Promise<Registry> {
  const exchanges: Exchange[] = [];
  const sandbox = await useSandbox({ observe: (exchange) => void exchanges.push(exchange) });
  const { client } = await useOwnClient(sandbox);
  const { applicationId } = sandbox;
  const parts = { rest: client.rest, applicationId, clock: systemClock };
  return {
    sandbox,
    register: (commands, guildId) =>
      registerCommands({ ...parts, commands, ...(guildId === undefined ? {} : { guildId }) }),
    commands: async () => [...(await client.application.commands.fetch()).values()],
    methods: () =>
      exchanges
        .splice(0)
        .filter(({ path }) => path.includes('/commands'))
        .map(({ method }) => method),
    addForeign: async (name) => {
      await client.application.commands.create({ name, description: 'Of the host' });
    },
    setForeignMenus: async (names) => {
      const { Message: type } = ApplicationCommandType;
      await client.application.commands.set(names.map((name) => ({ name, type })));
    },
  };
}

describe('registerCommands', () => {
  test('creates missing commands, for servers only and with a filter on file types', async () => {
    const registry = await useRegistry();

    const report = await registry.register([photoSwap.data]);

    expect(report).toEqual([{ name: 'photo-swap', id: expect.stringMatching(/^\d+$/), change: 'created' }]);
    const [command] = await registry.commands();
    expect(command).toMatchObject({
      name: 'photo-swap',
      contexts: [0],
      integrationTypes: [0],
      options: [
        { name: 'image', description: 'The picture to change', required: false, fileTypes: ['image'] },
        {
          name: 'face',
          description: 'A picture of the face to put in it',
          required: false,
          fileTypes: ['image'],
        },
        { name: 'saved_face', autocomplete: true },
        { name: 'newest', choices: [{ value: 'image' }, { value: 'face' }] },
      ],
    });
  });

  test.each<[CommandData, Record<string, string[]>]>([
    [photoSwap.data, { image: ['image'], face: ['image'] }],
    [videoSwap.data, { video: ['video'], face: ['image'] }],
    [identitySwap.data, { video: ['video'], character: ['image'] }],
    [motionTransfer.data, { image: ['image'], motion: ['video'] }],
    [avatar.data, { image: ['image'], script_file: ['.txt'] }],
    [lipSync.data, { video: ['video'], audio: ['audio'] }],
  ])('lets members pick only files that fit: /$name', async (data, fileTypes) => {
    const registry = await useRegistry();

    await registry.register([data]);
    const again = await registry.register([data]);

    expect(again).toMatchObject([{ name: data.name, change: 'unchanged' }]);
    const [command] = await registry.commands();
    const files = command?.options?.filter((option) => 'fileTypes' in option && option.fileTypes) ?? [];
    expect(
      Object.fromEntries(files.map((file) => [file.name, 'fileTypes' in file && file.fileTypes])),
    ).toEqual(fileTypes);
  });

  test('writes nothing when everything is up to date', async () => {
    const registry = await useRegistry();
    const [created] = await registry.register([photoSwap.data]);
    registry.methods();

    const report = await registry.register([photoSwap.data]);

    expect(report).toEqual([{ ...created, change: 'unchanged' }]);
    expect(registry.methods()).toEqual(['GET']);
  });

  test.each<[string, Partial<CommandData>]>([
    ['its description', { description: 'Something else' }],
    ['an additional option', { options: [] }],
    ['the required permission', { default_member_permissions: '8' }],
    ['a translation', { name_localizations: { de: 'fototausch' } }],
  ])('changes only commands that differ: %s', async (_what, difference) => {
    const registry = await useRegistry();
    const [created] = await registry.register([photoSwap.data]);
    registry.methods();

    const changed = { ...photoSwap.data, ...difference };
    const report = await registry.register([changed]);
    const again = await registry.register([changed]);

    expect(report).toEqual([{ ...created, change: 'updated' }]);
    expect(again).toEqual([{ ...created, change: 'unchanged' }]);
    expect(registry.methods()).toEqual(['GET', 'PATCH', 'GET']);
  });

  test("does not change a host's commands", async () => {
    const registry = await useRegistry();
    await registry.addForeign('ping');

    await registry.register([photoSwap.data]);
    await registry.register([{ ...photoSwap.data, description: 'Changed' }]);

    const left = (await registry.commands()).map(({ name, description }) => `${name}: ${description}`);
    expect(left.sort()).toEqual(['photo-swap: Changed', 'ping: Of the host']);
  });

  test('registers in one server only on request, and writes nothing the second time', async () => {
    const registry = await useRegistry();
    const guild = registry.sandbox.addGuild('Film club');

    const first = await registry.register([photoSwap.data], guild.id);
    const second = await registry.register([photoSwap.data], guild.id);

    expect(first[0]?.change).toBe('created');
    expect(second[0]?.change).toBe('unchanged');
    expect(await registry.commands()).toEqual([]);
  });

  test('reports that Discord cannot be reached, without the request', async () => {
    const registry = await useRegistry();
    registry.sandbox.faults.failNext({ status: 500, times: 4 });

    await expect(registry.register([photoSwap.data])).rejects.toMatchObject({
      code: 'unreachable',
      message: 'Cannot register commands: Discord answered 500',
    });
  });
});

const MENU = { name: 'Use in a swap', type: ApplicationCommandType.Message, ...IN_SERVERS_ONLY } as const;

describe('registerCommands, for context menus', () => {
  test('distinguishes an entry from a command of the same name, and writes nothing the second time', async () => {
    const registry = await useRegistry();
    const definitions = [
      { ...photoSwap.data, name: 'swap' },
      { ...MENU, name: 'swap' },
    ];

    const first = await registry.register(definitions);
    const second = await registry.register(definitions);

    expect(first.map(({ change }) => change)).toEqual(['created', 'created']);
    expect(second.map(({ change }) => change)).toEqual(['unchanged', 'unchanged']);
    expect(new Set(second.map(({ id }) => id)).size).toBe(2);
  });
});

test('has definitions within the limits of Discord', () => {
  expect(() => checkDefinitions(COMMAND_DEFINITIONS)).not.toThrow();
  expect(() => checkCounts(COMMAND_DEFINITIONS, [])).not.toThrow();
});

describe('registerCommands, before it sends anything', () => {
  const text = (name: string): object => ({ name, description: 'x', type: 3 });
  const choice = (index: number): object => ({ name: `choice ${index}`, value: 'v'.repeat(100) });
  const big = (name: string): object => ({
    ...text(name),
    choices: Array.from({ length: 25 }, (_, n) => choice(n)),
  });

  test.each<[string, object, RegExp]>([
    ['an upper-case name', { name: 'Swap' }, /"Swap": its "name" is wrong \(must be lower-case\)/],
    ['a name with a space', { name: 'a b' }, /"a b": its "name" is wrong/],
    ['a long description', { description: 'x'.repeat(101) }, /its "description" is wrong/],
    ['an empty translation', { description_localizations: { de: '' } }, /its "description_localizations.de"/],
    [
      '26 options',
      { options: Array.from({ length: 26 }, (_, n) => text(`o${n}`)) },
      /its "options" is wrong/,
    ],
    ['two options with one name', { options: [text('a'), text('a')] }, /one name twice/],
    [
      'a required option after an optional one within a subcommand',
      { options: [{ ...text('sub'), type: 1, options: [text('a'), { ...text('b'), required: true }] }] },
      /its "options.0.options" is wrong \(a required option after an optional one\)/,
    ],
    [
      'a long choice',
      { options: [{ ...text('a'), choices: [{ name: 'x', value: 'v'.repeat(101) }] }] },
      /choices.0.value/,
    ],
    [
      'more than 8,000 characters, counting the longest of several languages',
      {
        options: ['a', 'b', 'c'].map((name) => big(name)),
        description_localizations: { de: 'x'.repeat(100), fr: 'x'.repeat(90) },
      },
      /"photo-swap": it has 8\d\d\d characters, and Discord accepts 8000/,
    ],
  ])('reports the command and the error: %s', async (_what, changes, message) => {
    const registry = await useRegistry();
    const definition = { ...photoSwap.data, ...changes } as CommandData;

    const registering = registry.register([photoSwap.data, definition]);

    await expect(registering).rejects.toThrow(message);
    expect(registry.methods()).toEqual([]);
  });

  test("counts a host's commands as well, and changes nothing when the limit would be exceeded", async () => {
    const registry = await useRegistry();
    await registry.setForeignMenus(Array.from({ length: 15 }, (_, n) => `Entry ${n}`));
    registry.methods();

    const registering = registry.register([{ ...MENU, name: 'One more' }]);

    await expect(registering).rejects.toMatchObject({
      code: 'refused',
      message:
        'Cannot register commands: there would be 16 entries of the message menu (15 of them not ours), and Discord accepts 15',
    });
    expect(registry.methods()).toEqual(['GET']);
  });
});
