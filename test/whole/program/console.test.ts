import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { readEnvironment } from '../../../src/bot/settings/read-environment.ts';
import type { ConsoleVerb } from '../../../src/media-server/console/console-wire.ts';
import { verbSchema } from '../../../src/media-server/console/verb-schema.ts';
import { runVerb } from '../../../src/media-server/console/run-verb.ts';
import { COMMANDS } from '../../../src/program/roles/console/commands.ts';
import { consoleRole } from '../../../src/program/roles/console-role.ts';
import { ENDPOINT } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../../media-server/api-client.ts';
import { ScalingVoices } from '../../media-server/sessions/stream-engines.ts';
import { type UsedServer, useServer } from '../../media-server/use-server.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { type Ended, useProgram } from './use-program.ts';

/** Every verb that the console page has. */
const VERBS: Readonly<Record<ConsoleVerb['verb'], true>> = {
  create_account: true,
  top_up: true,
  create_key: true,
  limit_key: true,
  revoke_key: true,
  show_secret: true,
  rotate_secret: true,
  set_rate: true,
  reset_rate: true,
  switch_capability: true,
  set_ceiling: true,
  cancel_job: true,
  new_password: true,
};

interface Answer extends Ended {
  readonly text: string;
}

/** Runs one console command to its end, in its own process. */
async function runConsole(cwd: string, ...args: string[]): Promise<Answer> {
  const program = useProgram(['console', ...args], {}, cwd);
  const ended = await program.ended();
  return { ...ended, text: program.lines.join('\n') };
}

async function ask<T>(cwd: string, ...args: string[]): Promise<T> {
  const { code, text, stderr } = await runConsole(cwd, ...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(text) as T;
}

/** Starts a server whose files are in the folder that the program uses. */
async function useRunning(): Promise<UsedServer & { readonly cwd: string }> {
  const cwd = await useFolder();
  return { cwd, ...(await useServer({ dataDir: join(cwd, 'data', 'media-server') })) };
}

describe('console', () => {
  test('creates a key, limits it and revokes it, each with effect on the next request to the running server', async () => {
    const { cwd, server } = await useRunning();

    const created = await runConsole(cwd, 'keys', 'create', 'Photo club', '--requests-per-minute', '3');
    const [key = ''] = created.text.split('\n', 1);
    const id = /key_[a-z2-7]+/.exec(created.text)?.[0] ?? '';
    const api = new ApiClient(server.baseUrl, key);
    const statuses = async (count: number): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: count }, () => api.get('/balance')));
      return answers.map(({ status }) => status);
    };

    expect((await api.get('/balance')).status).toBe(200);
    await runConsole(cwd, 'keys', 'limit', id, '1');
    expect(await statuses(2)).toEqual([429, 429]);
    await runConsole(cwd, 'keys', 'limit', id, '100');
    expect(await statuses(2)).toEqual([200, 200]);
    const listed = await runConsole(cwd, 'keys', 'list');
    expect(listed.text).toContain('Photo club');
    expect(listed.text).toContain('100/min');
    expect(listed.text).not.toContain(key);
    expect((await runConsole(cwd, 'keys', 'revoke', id)).code).toBe(0);
    expect(await statuses(1)).toEqual([401]);
    expect((await runConsole(cwd, 'keys', 'revoke', id)).stderr).toContain('“Photo club” is revoked already');
  });

  test('creates an account, tops it up to the micro-dollar and shows its contents', async () => {
    const { cwd, server } = await useRunning();

    const { id } = await ask<{ id: string }>(cwd, 'accounts', 'create', 'Photo club');
    const { key } = await ask<{ key: string }>(cwd, 'keys', 'create', 'bot', '--account', 'Photo club');
    await runConsole(cwd, 'top-up', '0.1', '--account', id);
    const topped = await runConsole(cwd, 'top-up', '0.200001', '--account', id);

    expect(topped.text).toMatch(/^balance +\$0\.300001$/m);
    expect((await new ApiClient(server.baseUrl, key).get('/balance')).json).toMatchObject({
      balance_usd: 0.300001,
    });
    expect(await ask(cwd, 'balance')).toMatchObject({ balance_usd: 25, total_topped_up_usd: 25 });
    expect(await ask(cwd, 'accounts', 'list')).toMatchObject([
      { name: 'Embedded', available_usd: 25, topped_up_usd: 25 },
      { id, name: 'Photo club', available_usd: 0.300001, held_usd: 0 },
    ]);
  });

  test('shows the signing secret of webhooks, and rotates it', async () => {
    const { cwd, server } = await useRunning();

    expect((await runConsole(cwd, 'secret', 'show')).text).toBe(server.signingSecret);
    const rotated = await ask<{ secret: string }>(cwd, 'secret', 'rotate', '--overlap-minutes', '60');
    expect(rotated).toMatchObject({ overlapMs: 3_600_000 });
    expect(rotated.secret).not.toBe(server.signingSecret);
    expect(server.admin.signingSecret()).toBe(rotated.secret);
  });

  test('sets public and negotiated rates, which the rate card shows and new jobs pay', async () => {
    const { cwd, api, server } = await useRunning();
    const rateOf = async (client: ApiClient): Promise<unknown> => {
      const card = (await client.get('/pricing')).json as { capabilities: { feature: string }[] };
      return card.capabilities.find(({ feature }) => feature === 'photo_swap');
    };

    await runConsole(
      cwd,
      'rates',
      'set',
      'photo_swap',
      '--rate',
      '0.07',
      '--minimum',
      '0.01',
      '--hold',
      '0.09',
    );
    const negotiated = await runConsole(
      cwd,
      'rates',
      'set',
      'photo_swap',
      '--rate',
      '0.03',
      '--account',
      'Embedded',
    );
    expect(negotiated.text).toMatch(/^photo_swap +\$0\.03 +\$0\.01 +\$0\.09 +negotiated$/m);
    expect(await rateOf(new ApiClient(server.baseUrl))).toMatchObject({ rate_usd: 0.07 });
    expect(await rateOf(api)).toMatchObject({ rate_usd: 0.03, minimum_usd: 0.01, estimated_hold_usd: 0.09 });
    const { id } = await api.submit(await api.photoSwapBody());
    expect((await api.ended(id)).charged_usd).toBe(0.03);
    await runConsole(cwd, 'rates', 'reset', 'photo_swap', '--account', 'Embedded');
    expect(await rateOf(api)).toMatchObject({ rate_usd: 0.07 });
  });

  test('switches a capability, lowers a ceiling and cancels a running job', async () => {
    const { cwd, api, engine } = await useRunning();
    const body = await api.photoSwapBody();
    const code = async (): Promise<unknown> => {
      const { json } = await api.post('/face-swap-image', body);
      return (json as { error?: { code: string } }).error?.code;
    };

    await runConsole(cwd, 'capabilities', 'off', 'photo_swap');
    expect(await code()).toBe('capability_unavailable');
    await runConsole(cwd, 'capabilities', 'on', 'photo_swap');
    engine.pause();
    const { id } = await api.submit(body);
    await runConsole(cwd, 'ceilings', 'set', 'jobsInFlightMax', '1');
    expect(await code()).toBe('at_capacity');
    expect((await runConsole(cwd, 'jobs', 'cancel', id)).text).toContain('$0.06 went back');
    expect(await api.job(id)).toMatchObject({ status: 'failed', charged_usd: 0 });
    expect((await runConsole(cwd, 'jobs', 'cancel', id)).stderr).toContain('it has failed already');
    expect(await code()).toBeUndefined();
    expect(await ask(cwd, 'ceilings', 'list')).toContainEqual(
      expect.objectContaining({ name: 'jobsInFlightMax', value: 1 }),
    );
  });

  test('prices, switches and limits all eight capabilities, including sessions', async () => {
    const cwd = await useFolder();
    const dataDir = join(cwd, 'data', 'media-server');
    const { api } = await useServer({ dataDir, engines: { voiceSwap: new ScalingVoices() } });
    const open = async (): Promise<unknown> =>
      (await api.post('/voice/session', { duration_minutes: 10 })).json;

    const rates = await ask<{ feature: string }[]>(cwd, 'rates', 'show');
    expect(new Set(rates.map(({ feature }) => feature))).toEqual(new Set(Object.keys(ENDPOINT)));
    await runConsole(cwd, 'rates', 'set', 'voice_swap', '--rate', '0.123');
    expect(await open()).toMatchObject({ max_cost_usd: 1.23 });
    await runConsole(cwd, 'ceilings', 'set', 'voiceSessionsMax', '1');
    expect(await open()).toMatchObject({ error: { code: 'at_capacity' } });
    await runConsole(cwd, 'capabilities', 'off', 'voice_swap');
    expect(await open()).toMatchObject({ error: { code: 'capability_unavailable' } });
  });

  test('works on the files of a server that is not running', async () => {
    const first = await useRunning();
    const { cwd, server } = first;
    await server[Symbol.asyncDispose]();

    const { key } = await ask<{ key: string }>(cwd, 'keys', 'create', 'before');
    expect(await ask(cwd, 'capabilities', 'list')).toContainEqual({ feature: 'photo_swap', enabled: true });

    const second = await first.restart();
    expect((await new ApiClient(second.server.baseUrl, key).get('/balance')).status).toBe(200);
  });

  test.each([
    [['keys', 'creat'], 'there are "keys list", "keys create", "keys limit", "keys revoke"'],
    [['bananas'], '"help" shows all commands'],
    [['top-up', '1,50'], 'Cannot take "1,50" as <dollars>: please write the amount without commas'],
    [['top-up', 'five'], 'write dollars such as 5, 0.04 or 0.000125'],
    [['top-up', '1000001'], 'at most $1,000,000'],
    [['top-up', '0.0000001'], 'at most six decimals'],
    [['top-up', '0'], 'write an amount above 0'],
    [['top-up', '1', '--account', 'nobody'], 'there is no such account; see "accounts list"'],
    [['keys', 'revoke', 'key_none'], '"keys list" shows their ids'],
    [['capabilities', 'off', 'time_travel'], 'there are avatar, '],
    [['ceilings', 'set', 'jobsInFlightMax', '0'], 'write a whole number from 1 to 100,000'],
    [['ceilings', 'set', 'voiceSessionsMax', '1001'], 'write a whole number from 1 to 1,000'],
    [['secret', 'rotate', '--overlap-minutes', '20000'], 'Cannot take "20000" as --overlap-minutes: please'],
    [['rates', 'set', 'photo_swap'], 'Cannot run "rates set": please write a rate'],
    [['keys', 'create'], 'write keys create <name> [--account <id or name>]'],
    [['rates', 'set', 'voice_swap', '--minimum', '1'], 'a session has only a rate'],
    [['rates', 'set', 'live_swap_pro', '--rate', '1', '--hold', '1'], 'a session has only a rate'],
    [['balance', '--rate', '5'], 'write balance [--account <id or name>]'],
    [['balance', '--colour', 'red'], "Unknown option '--colour'"],
  ])('refuses %j in one line that says what to do, and changes nothing', async (args, hint) => {
    const { dataDir, api, server } = await useRunning();
    const before = (await api.get('/balance')).text;

    const refusal = await consoleRole({
      settings: readEnvironment({ DATA_DIR: dirname(dataDir) }),
      log: silentLogger,
      args,
      print: (text) => expect.unreachable(text),
      notify: (text) => expect.unreachable(text),
      fail: (error) => expect.unreachable(error.message),
    }).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(ServiceError);
    const { message } = refusal as ServiceError;
    expect(message.split('\n')).toHaveLength(1);
    expect(message).toContain(hint);
    expect((await api.get('/balance')).text).toBe(before);
    expect(server.admin.listKeys()).toHaveLength(1);
  });

  test('supports every verb of the page, and no others', async () => {
    const { server, api, engine } = await useRunning();
    const { admin } = server;
    engine.pause();
    const { id: jobId } = await api.submit(await api.photoSwapBody());
    const values: Readonly<Record<string, string>> = {
      '<name>': 'Club',
      '<dollars>': '1',
      '<key id>': admin.createKey({ name: 'Old' }).id,
      '<requests per minute>': '5',
      '<capability>': 'photo_swap',
      '<ceiling>': 'jobsInFlightMax',
      '<value>': '5',
      '<job id>': jobId,
    };
    const run = new Set<string>();
    for (const command of COMMANDS) {
      command.run({
        admin,
        runVerb: (verb) => {
          run.add(verb.verb);
          return runVerb(admin, verbSchema.parse(verb));
        },
        values: command.values.map((value) => values[value] ?? expect.unreachable(value)),
        options: command.words.startsWith('rates') ? { account: 'Embedded', rate: '0.05' } : {},
      });
    }
    expect([...run].toSorted()).toEqual(Object.keys(VERBS).toSorted());
  });

  test('explains how to start if no server was ever started', async () => {
    const { code, stderr } = await runConsole(await useFolder(), 'balance');
    expect(code).toBe(1);
    expect(stderr).toContain('start it once (npm run media-server), or set DATA_DIR');
  });

  test('explains its commands', async () => {
    const { code, text } = await runConsole(await useFolder(), 'help');
    expect(code).toBe(0);
    expect(text).toContain('secret rotate [--account <id or name>] [--overlap-minutes <number>]');
    expect(text).toContain('npm run console -- top-up 25');
  });
});
