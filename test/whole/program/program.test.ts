import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addGuildOf } from '../shards/use-shards.ts';
import { sample } from '../../helpers/use-community.ts';
import { MANY_COMMANDS, useSandbox } from '../../helpers/use-sandbox.ts';
import { useServer } from '../../media-server/use-server.ts';
import { useProgram } from './use-program.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const FREE_PORTS = { PORT: '0', MEDIA_SERVER_PORT: '0' };

async function call(url: string, body?: unknown): Promise<unknown> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url, { ...init, headers: { 'content-type': 'application/json' } });
  return answer.json();
}

interface Guild {
  readonly id: string;
  readonly channels: readonly { readonly id: string; readonly name: string }[];
  readonly members: readonly { readonly id: string; readonly name: string; readonly bot?: boolean }[];
}

describe('start', () => {
  test(
    'starts everything with an empty environment, reports it, serves requests, and stops on SIGTERM',
    { timeout: 60_000 },
    async () => {
      const cwd = await useFolder();
      const program = useProgram(['start'], FREE_PORTS, cwd);

      const ready = await program.ready();
      expect(ready).toMatchObject({
        ready: 'bot',
        database: 'sqlite:./data/masquerade.db',
        discord: 'sandbox',
        media_api: 'embedded',
      });
      const page = await fetch(String(ready['chat']));
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(program.stderr).toContain('Try the bot: open http://127.0.0.1:');
      expect((await fetch(`${String(ready['web'])}/readyz`)).status).toBe(200);
      const logged = program.stderr.split('\n').filter((line) => line.includes('is embedded'));
      expect(logged).toHaveLength(2);
      expect(logged.join('\n')).toContain('Set DISCORD_TOKEN to use the real one');
      expect(logged.join('\n')).toContain('Set MEDIA_API_URL, MEDIA_API_KEY and MEDIA_API_SIGNING_SECRET');

      const { control } = JSON.parse(logged.find((line) => line.includes('"control"')) ?? '{}') as {
        control: string;
      };
      const reply = await swapByControl(control);
      expect(reply).toContain('photo-swap.jpg');

      program.kill('SIGTERM');
      expect((await program.ended()).code).toBe(0);
      expect(program.lines).toHaveLength(1);
    },
  );

  test('reports in one line that Discord rejects the token', async () => {
    const sandbox = await useSandbox();
    const env = { ...FREE_PORTS, DISCORD_TOKEN: 'wrong', DISCORD_API_URL: sandbox.apiUrl };

    const { code, stderr } = await useProgram(
      ['start'],
      { ...env, ...(await mediaEnv()) },
      await useFolder(),
    ).ended();

    expect(code).toBe(1);
    expect(lastLines(stderr)).toEqual(['Cannot log in to Discord: the bot token is refused']);
    sandbox.takeViolations();
  });

  test('reports in one line that the database cannot be written', async () => {
    const cwd = await useFolder();
    await mkdir(join(cwd, 'taken.db'));
    const env = { ...FREE_PORTS, ...(await mediaEnv()), DATABASE_URL: 'sqlite:taken.db', DISCORD_TOKEN: 'x' };

    const { code, stderr } = await useProgram(['start'], env, cwd).ended();

    expect(code).toBe(1);
    expect(lastLines(stderr)).toHaveLength(1);
    expect(lastLines(stderr)[0]).toMatch(/^Cannot .*taken\.db/);
  });

  test.each([
    [
      'the data folder',
      { DATA_DIR: '/proc/nowhere/data' },
      /^Cannot open database "\/proc\/nowhere\/data\/masquerade.db": it cannot be written \(ENOENT\)$/,
    ],
    [
      'the database',
      { DATABASE_URL: 'sqlite:/proc/nowhere/m.db' },
      /^Cannot open database "\/proc\/nowhere\/m.db": it cannot be written \(ENOENT\)$/,
    ],
    [
      'the connection to the database',
      { DATABASE_URL: 'postgres://bot:hunter2@127.0.0.1:1/club' },
      /^Cannot reach PostgreSQL at "127.0.0.1:1\/club": it does not answer, or ended the connection \(ECONNREFUSED\)$/,
    ],
  ])('reports in one line that %s cannot be made', async (_what, changes, words) => {
    const env = { ...FREE_PORTS, ...(await mediaEnv()), DISCORD_TOKEN: 'x', ...changes };

    const { code, stderr } = await useProgram(['start'], env, await useFolder()).ended();

    expect(code).toBe(1);
    expect(lastLines(stderr)).toEqual([expect.stringMatching(words)]);
  });

  test.each(['PORT', 'MEDIA_SERVER_PORT'])('reports in one line that %s is in use', async (variable) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const env = { ...FREE_PORTS, [variable]: String(port) };

    const { code, stderr } = await useProgram(['start'], env, await useFolder()).ended();

    expect(code).toBe(1);
    expect(lastLines(stderr)).toEqual([`Cannot listen on 127.0.0.1:${port}: the port is in use`]);
  });

  test('exits with one line and an error code when Discord ends the connection for good', async () => {
    const sandbox = await useSandbox({ commandLimit: MANY_COMMANDS });
    sandbox.addGuild('Film club');
    const { token, apiUrl } = sandbox;
    const env = { ...FREE_PORTS, ...(await mediaEnv()), DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl };
    const program = useProgram(['start'], env, await useFolder());
    await program.ready();

    sandbox.faults.dropGateway(4004);
    const { code, stderr } = await program.ended();

    expect(code).toBe(1);
    expect(lastLines(stderr)).toEqual(['Cannot log in to Discord: the bot token is refused']);
  });

  test('stops at once while Discord does not answer', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => silent.closeAllConnections());
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const discord = { DISCORD_TOKEN: 'a.b.c', DISCORD_API_URL: `http://127.0.0.1:${port}/api` };
    const program = useProgram(
      ['start'],
      { ...FREE_PORTS, ...(await mediaEnv()), ...discord },
      await useFolder(),
    );
    await once(silent, 'request');

    program.kill('SIGTERM');

    expect((await program.ended()).code).toBe(143);
    expect(program.stderr).toContain('Stopped before it was ready');
  });

  test.each([
    ['all shards of an explicit number', { SHARDS: '0-1', SHARD_COUNT: '2' }],
    ['as many shards as Discord recommends', { SHARDS: 'auto', SHARD_COUNT: '' }],
  ])('runs %s', async (_which, shards) => {
    const guildsPerShard = { recommended: 1, max: 1 };
    const sandbox = await useSandbox({ guildsPerShard, commandLimit: MANY_COMMANDS });
    const clubs = [0, 1].map((shard) => addGuildOf(sandbox, shard, 2, `Club ${shard}`));
    const { token, apiUrl } = sandbox;
    const discord = { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl };
    const env = { ...FREE_PORTS, ...(await mediaEnv()), ...discord, ...shards };
    const program = useProgram(['start'], env, await useFolder());
    await program.ready();

    for (const club of clubs) {
      const use = await club.addMember('Ada').runs('/help', { in: club.addTextChannel('general') });
      expect((await use.replied()).text).toContain('/photo-swap');
    }
  });

  test.each([
    ['names the missing setting if LIVE_CODEC is empty', '', 'LIVE_CODEC'],
    ['opens a page if LIVE_CODEC is set', 'jpeg', 'Your page for Live Swap Pro is ready'],
  ])('with a remote media service, /live %s', async (_what, codec, said) => {
    const sandbox = await useSandbox({ commandLimit: MANY_COMMANDS });
    const guild = sandbox.addGuild('Film club');
    const ada = guild.addMember('Ada');
    const { token, apiUrl } = sandbox;
    const discord = { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl, PUBLIC_URL: 'https://bot.example.org' };
    const env = { ...FREE_PORTS, ...(await mediaEnv()), ...discord, LIVE_CODEC: codec };
    await useProgram(['start'], env, await useFolder()).ready();

    const options = { minutes: 5 };
    const use = await ada.runs('/live start', { in: guild.addTextChannel('general'), options });

    expect((await use.replied()).text).toContain(said);
  });

  test('uses a media service by plain http on another machine only if that is allowed', async () => {
    const sandbox = await useSandbox({ commandLimit: MANY_COMMANDS });
    sandbox.addGuild('Film club');
    const env = {
      ...FREE_PORTS,
      DISCORD_TOKEN: sandbox.token,
      DISCORD_API_URL: sandbox.apiUrl,
      MEDIA_API_URL: 'http://media.invalid/api/v1',
      MEDIA_API_KEY: 'key',
    };
    const refused = await useProgram(['start'], env, await useFolder()).ended();
    const allowed = useProgram(['start'], { ...env, MEDIA_API_ALLOW_HTTP: 'true' }, await useFolder());

    expect(lastLines(refused.stderr)).toEqual([expect.stringContaining('MEDIA_API_URL')]);
    expect(await allowed.ready()).toMatchObject({ media_api: 'http://media.invalid' });
  });

  test('rejects malformed variables, one line each, without their secrets', async () => {
    const env = { PORT: 'three', DISCORD_TOKEN: 'two words', DISCORD_TOKN: 'x' };

    const { code, stderr } = await useProgram(['start'], env, await useFolder()).ended();

    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(3);
    expect(stderr).toContain('PORT holds "three": it may hold a whole number from 0 to 65535');
    expect(stderr).not.toContain('two words');
  });
});

describe('media-server and sandbox', () => {
  test('open nothing but the chat page to a network, if requested', async () => {
    const env = { CHAT_PAGE_HOST: '0.0.0.0', CHAT_PAGE_URL: 'https://chat.example' };
    const program = useProgram(['sandbox'], env, await useFolder());

    const ready = await program.ready();
    expect(ready['chat']).toBe('https://chat.example/chat/');
    expect(new URL(String(ready['api_url'])).hostname).toBe('127.0.0.1');
    expect(program.stderr).toContain('The chat page is open beyond this machine');

    program.kill('SIGTERM');
    expect((await program.ended()).code).toBe(0);
  });

  test('run separately, and a bot in a third process uses them', { timeout: 60_000 }, async () => {
    const cwd = await useFolder();
    const secrets = {
      MEDIA_SERVER_API_KEY: 'key_abcdefghijklmnop',
      MEDIA_SERVER_SIGNING_SECRET: 'whsec_abcdefghijkl',
    };
    const media = useProgram(['media-server'], { ...FREE_PORTS, ...secrets }, cwd);
    const sandbox = useProgram(['sandbox'], {}, cwd);
    const [api, discord] = [await media.ready(), await sandbox.ready()];
    expect(api['ready']).toBe('media-server');
    expect(discord['ready']).toBe('sandbox');
    const bot = useProgram(
      ['start'],
      {
        ...FREE_PORTS,
        DISCORD_TOKEN: String(discord['token']),
        DISCORD_API_URL: String(discord['api_url']),
        DISCORD_CDN_HOSTS: String(discord['cdn_host']),
        MEDIA_API_URL: String(api['base_url']),
        MEDIA_API_KEY: secrets.MEDIA_SERVER_API_KEY,
        MEDIA_API_SIGNING_SECRET: secrets.MEDIA_SERVER_SIGNING_SECRET,
      },
      await useFolder(),
    );
    await bot.ready();

    expect(await swapByControl(String(discord['control_url']))).toContain('photo-swap.jpg');
    for (const program of [bot, media, sandbox]) {
      program.kill('SIGTERM');
      expect((await program.ended()).code).toBe(0);
    }
  });
});

/** Runs `/photo-swap` through the sandbox's control API at `control`. Returns the reply as JSON text. */
async function swapByControl(control: string): Promise<string> {
  const guilds = (await call(`${control}/guilds`)) as Guild[];
  const guild = guilds[0];
  const channel = guild?.channels[0];
  const member = guild?.members.find(({ name }) => name === 'Ada');
  const option = async (name: string): Promise<unknown> => ({
    file: { name, base64: Buffer.from((await sample(name)).bytes).toString('base64') },
  });
  const use = (await call(`${control}/guilds/${guild?.id}/members/${member?.id}/runs`, {
    command: '/photo-swap',
    in: channel?.id,
    options: {
      image: await option('portrait-man-dark-hair.jpg'),
      face: await option('portrait-woman-brown-hair.jpg'),
    },
  })) as { id: string };
  return JSON.stringify(
    await call(`${control}/uses/${use.id}?until=replied&contains=Left%20this%20month&timeout_ms=20000`),
  );
}

async function mediaEnv(): Promise<Record<string, string>> {
  const { server } = await useServer();
  return { MEDIA_API_URL: server.baseUrl, MEDIA_API_KEY: server.apiKey };
}

function lastLines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}
