import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Events } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { createClient } from '../../../../src/bot/discord/wire/create-client.ts';
import type { DiscordError } from '../../../../src/bot/discord/wire/discord-error.ts';
import { useSandbox } from '../../../helpers/use-sandbox.ts';
import { until, useOwnClient } from '../use-bot.ts';
import { useCdn } from '../use-cdn.ts';

const PARTS = { clock: systemClock, log: silentLogger };

describe('createClient', () => {
  test('reports in one line that Discord cannot be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();

    const login = createClient({ ...PARTS, token: 'abc', apiUrl: `http://127.0.0.1:${port}/api` }).login();

    await expect(login).rejects.toMatchObject({
      code: 'unreachable',
      message: `Cannot log in to Discord at http://127.0.0.1:${port}/api: ECONNREFUSED`,
    });
  });

  test('gives up on a Discord that does not answer', async () => {
    const silent = await useCdn(() => undefined);
    const apiUrl = `${new URL(silent.url).origin}/api`;

    const login = createClient({ ...PARTS, token: 'abc', apiUrl, loginTimeoutMs: 100 }).login();

    await expect(login).rejects.toMatchObject({ code: 'unreachable' });
    await expect(login).rejects.toThrow('Gave up after 100 ms');
  });

  test('gives each further shard its own time limit, because Discord starts them one by one', async () => {
    const silent = await useCdn(() => undefined);
    const apiUrl = `${new URL(silent.url).origin}/api`;
    const clock = new FakeClock();
    const shards = { shards: [0, 1], shardCount: 2 };
    const own = createClient({ ...PARTS, ...shards, clock, token: 'abc', apiUrl, loginTimeoutMs: 1_000 });
    const ends: unknown[] = [];
    own.login().catch((error: unknown) => ends.push(error));

    await clock.advance(900);
    own.client.emit(Events.ShardReady, 0, new Set());
    await clock.advance(900);
    await until(() => silent.requests() > 0);
    expect(ends).toEqual([]);
    await clock.advance(100);

    await until(() => ends.length > 0);
    expect(ends).toMatchObject([{ code: 'unreachable' }]);
  });

  test('reports when Discord requires more shards than configured', async () => {
    const sandbox = await useSandbox({ guildsPerShard: { recommended: 1, max: 1 } });
    sandbox.addGuild('Film club');
    sandbox.addGuild('Night radio');
    const { token, apiUrl } = sandbox;

    const login = createClient({ ...PARTS, token, apiUrl, shards: [0], shardCount: 1 }).login();

    await expect(login).rejects.toMatchObject({
      code: 'refused',
      message:
        'Cannot log in to Discord: it requires more shards than SHARD_COUNT (auto runs the recommended number)',
    });
    expect(sandbox.takeViolations()).toHaveLength(1);
  });

  test('runs the recommended number of shards, or all configured ones', async () => {
    // Guilds created within the same millisecond belong to the same shard.
    const sandbox = await useSandbox({ guildsPerShard: { recommended: 1, max: 3 } });
    for (const name of ['Film club', 'Night radio', 'Chess']) sandbox.addGuild(name);
    const { token, apiUrl } = sandbox;
    const shardsRun = async (
      options: Pick<Parameters<typeof createClient>[0], 'shards' | 'shardCount'>,
    ): Promise<number[]> => {
      await using own = createClient({ ...PARTS, token, apiUrl, ...options });
      await own.login();
      return [...own.client.ws.shards.keys()];
    };

    expect(await shardsRun({ shards: 'auto' })).toEqual([0, 1, 2]);
    expect(await shardsRun({ shards: 'auto', shardCount: 4 })).toEqual([0, 1, 2, 3]);
    expect(await shardsRun({ shards: [1, 3], shardCount: 4 })).toEqual([1, 3]);
  });

  test.each([{ shards: [0] }, { shards: [2], shardCount: 2 }, { shards: [1, 1], shardCount: 2 }])(
    'rejects the impossible shards %j',
    (shards) => {
      expect(() => createClient({ ...PARTS, ...shards, token: 'abc' })).toThrow('Cannot run these shards');
    },
  );

  test('does not send an impossible token', async () => {
    const discord = await useCdn((_count, response) => response.end('{}'));
    const apiUrl = `${new URL(discord.url).origin}/api`;

    const login = createClient({ ...PARTS, token: 'two\nlines', apiUrl }).login();

    await expect(login).rejects.toMatchObject({ code: 'token_refused' });
    expect(discord.requests()).toBe(0);
  });

  test('logs in with only the required intents, and logs out when disposed', async () => {
    const sandbox = await useSandbox();
    sandbox.addGuild('Film club');

    const own = await useOwnClient(sandbox);
    expect(own.client.isReady()).toBe(true);
    expect(own.client.options.intents.toArray()).toEqual(['Guilds', 'GuildVoiceStates']);
    await sandbox.botOnline();
    await own[Symbol.asyncDispose]();

    await sandbox.botOffline();
  });

  test('reports when Discord rejects the token', async () => {
    const sandbox = await useSandbox();

    const login = createClient({ ...PARTS, token: 'wrong.token', apiUrl: sandbox.apiUrl }).login();

    await expect(login).rejects.toMatchObject({
      code: 'token_refused',
      message: 'Cannot log in to Discord: the bot token is refused',
    });
    expect(sandbox.takeViolations()).toHaveLength(1);
  });

  test('notifies its owner when Discord ends the connection for good', async () => {
    const sandbox = await useSandbox();
    const lost: DiscordError[] = [];
    const { token, apiUrl } = sandbox;
    await using own = createClient({
      ...PARTS,
      token,
      apiUrl,
      onLost: (error) => void lost.push(error),
    });
    await own.login();

    sandbox.faults.dropGateway(4004);
    await until(() => lost.length > 0);

    expect(lost.map((error) => error.code)).toEqual(['token_refused']);
  });

  test('reconnects by itself after a lost connection', async () => {
    const sandbox = await useSandbox();
    await useOwnClient(sandbox);

    sandbox.faults.dropGateway();
    await sandbox.botOffline();

    await sandbox.botOnline();
  });
});
