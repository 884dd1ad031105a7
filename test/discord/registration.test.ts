import { describe, expect, it } from 'vitest';
import { photoSwap } from '../../commands/photo-swap.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { CommandData } from '../../src/discord/command.ts';
import { type Registered, registerCommands } from '../../src/discord/registration.ts';
import type { Exchange } from '../../src/sandbox/observe.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { useSandbox } from '../use-sandbox.ts';
import { useOwnClient } from './use-bot.ts';

interface Registry {
  readonly sandbox: Sandbox;
  readonly register: (commands: readonly CommandData[], guildId?: string) => Promise<readonly Registered[]>;
  readonly commands: () => Promise<{ name: string; description: string }[]>;
  /** Methods of the calls on commands since the last question. */
  readonly methods: () => string[];
  readonly addForeign: (name: string) => Promise<void>;
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
  };
}

describe('registerCommands', () => {
  it('creates what is missing, for servers only and with a filter on file types', async () => {
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
      ],
    });
  });

  it('writes nothing when everything is as it should be', async () => {
    const registry = await useRegistry();
    const [created] = await registry.register([photoSwap.data]);
    registry.methods();

    const report = await registry.register([photoSwap.data]);

    expect(report).toEqual([{ ...created, change: 'unchanged' }]);
    expect(registry.methods()).toEqual(['GET']);
  });

  it.each<[string, Partial<CommandData>]>([
    ['its description', { description: 'Something else' }],
    ['an option more', { options: [] }],
    ['who may use it', { default_member_permissions: '8' }],
    ['a translation', { name_localizations: { de: 'fototausch' } }],
  ])('changes only what differs: %s', async (_what, difference) => {
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

  it("leaves a host's commands alone", async () => {
    const registry = await useRegistry();
    await registry.addForeign('ping');

    await registry.register([photoSwap.data]);
    await registry.register([{ ...photoSwap.data, description: 'Changed' }]);

    const left = (await registry.commands()).map(({ name, description }) => `${name}: ${description}`);
    expect(left.sort()).toEqual(['photo-swap: Changed', 'ping: Of the host']);
  });

  it('registers in one server only when asked to, and is at rest there too', async () => {
    const registry = await useRegistry();
    const guild = registry.sandbox.addGuild('Film club');

    const first = await registry.register([photoSwap.data], guild.id);
    const second = await registry.register([photoSwap.data], guild.id);

    expect(first[0]?.change).toBe('created');
    expect(second[0]?.change).toBe('unchanged');
    expect(await registry.commands()).toEqual([]);
  });

  it('tells that Discord cannot be asked, without the request', async () => {
    const registry = await useRegistry();
    registry.sandbox.faults.failNext({ status: 500, times: 4 });

    await expect(registry.register([photoSwap.data])).rejects.toMatchObject({
      code: 'unreachable',
      message: 'Cannot register commands: Discord answered 500',
    });
  });
});

it('keeps its definition within the limits of Discord', () => {
  expect(photoSwap.data.name).toMatch(/^[-_\p{L}\p{N}]{1,32}$/u);
  expect(JSON.stringify(photoSwap.data).length).toBeLessThan(8_000);
});
