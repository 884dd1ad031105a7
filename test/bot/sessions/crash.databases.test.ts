import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyLedger } from '../../../src/bot/money/ledger/verify-ledger.ts';
import type { WireBalance } from '../../../src/media-api/wire.ts';
import { useDatabase, useDatabaseUrl } from '../../db/use-database.ts';
import { ScalingVoices } from '../../media-server/sessions/stream-engines.ts';
import { useServer } from '../../media-server/use-server.ts';
import { json, refuse, useStubApi } from '../../media-api/use-stub-api.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { type SessionBench, usePaidSessions } from './use-paid-sessions.ts';

interface Said {
  readonly state: 'opening' | 'open';
  readonly meteredMs?: number;
}

function start(...args: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, 'speaking-process.ts'), [...args], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Kills the process once `isTime` returns true for one of its messages. */
async function killWhen(child: ChildProcess, isTime: (said: Said) => boolean): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.on('message', (said: Said) => isTime(said) && resolve());
    child.once('exit', () => reject(new Error('The process ended by itself')));
  });
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function expectSoundBooks(bench: SessionBench): Promise<void> {
  await verifyLedger(bench.database.kysely, (difference) => expect(difference).toBeUndefined());
}

test('a session whose process was killed stays held, is ended by the next process, and costs what the service charges', async () => {
  const { server, api: client } = await useServer({ engines: { voiceSwap: new ScalingVoices() } });
  const path = join(await useFolder(), 'crash.db');
  const url = await useDatabaseUrl(path);
  const before = (await client.get('/balance')).json as WireBalance;
  const child = start(url, server.baseUrl, server.apiKey);
  await killWhen(child, ({ meteredMs = 0 }) => meteredMs > 700);

  const database = await useDatabase(path);
  const [left] = await database.kysely.selectFrom('sessions').selectAll().execute();
  expect(left).toMatchObject({ state: 'open', granted_seconds: 120, max_cost_micros: 120_000 });
  const [held] = await database.kysely.selectFrom('holds').selectAll().execute();
  expect(held).toMatchObject({ state: 'pending', amount_micros: 120_000, subject: left?.id });

  const bench = await usePaidSessions({ baseUrl: server.baseUrl }, { path, api: { apiKey: server.apiKey } });
  const row = await bench.settled(left?.id ?? '');
  expect(row).toMatchObject({ end_reason: 'crashed' });
  const after = (await client.get('/balance')).json as WireBalance;
  const paid = Math.round((before.balance_usd - after.balance_usd) * 1e6);
  expect(paid).toBeGreaterThan(0);
  expect(row.charged_micros).toBe(paid);
  expect(await bench.hold(row.id)).toMatchObject({
    state: 'posted',
    charged_micros: paid,
    overrun_micros: 0,
  });
  await expectSoundBooks(bench);
});

test('the books agree with the account at the service, whenever the process is killed', async () => {
  const { server, api: client } = await useServer({
    engines: { voiceSwap: new ScalingVoices() },
    sessionConnectMs: 1_000,
  });
  const path = join(await useFolder(), 'crash.db');
  const url = await useDatabaseUrl(path);
  const balance = async (): Promise<number> =>
    ((await client.get('/balance')).json as WireBalance).balance_usd * 1e6;
  const before = await balance();
  // The moments range from before the request to the service until well into the stream.
  const moments = [0, 30, 100, 300, 900].map((ms) => ms * (0.5 + Math.random()));
  await Promise.all(
    moments.map(async (afterMs) => {
      const child = start(url, server.baseUrl, server.apiKey);
      await once(child, 'message');
      const exited = once(child, 'exit');
      setTimeout(() => child.kill('SIGKILL'), afterMs);
      await exited;
    }),
  );
  const bench = await usePaidSessions({ baseUrl: server.baseUrl }, { path, api: { apiKey: server.apiKey } });
  await vi.waitFor(
    async () => expect((await bench.rows()).filter(({ state }) => state !== 'settled')).toEqual([]),
    { timeout: 20_000, interval: 50 },
  );
  const ends = new Set((await bench.rows()).map(({ end_reason: reason }) => reason));
  expect(ends).toContain('crashed');
  const charged = (await bench.rows()).reduce((sum, row) => sum + (row.charged_micros ?? NaN), 0);
  expect(charged).toBe(Math.round(before - (await balance())));
  expect((await bench.holds()).filter(({ state }) => state !== 'posted' && state !== 'voided')).toEqual([]);
  await expectSoundBooks(bench);
});

test('a session whose process was killed before the service answered is released, because nobody can have connected', async () => {
  const path = join(await useFolder(), 'crash.db');
  const url = await useDatabaseUrl(path);
  const silent = await useStubApi(async (_request, _response, read) => {
    await read();
    await new Promise((resolve) => setTimeout(resolve, 30_000).unref());
  });
  const child = start(url, silent.baseUrl, 'key', 'opening');
  const isAsked = (): boolean => silent.received.length > 0;
  await killWhen(child, isAsked);

  silent.script(refuse(404, 'not_found'));
  const bench = await usePaidSessions(silent, { path });
  const [left] = await bench.rows();
  expect(left).toMatchObject({ state: 'opening' });
  const row = await bench.settled(left?.id ?? '');
  expect(row).toMatchObject({ end_reason: 'not_opened', charged_micros: 0, service_session_id: null });
  expect(await bench.hold(row.id)).toMatchObject({ state: 'voided' });
  expect(await bench.left()).toBe(10);
  await expectSoundBooks(bench);
});

test('a session whose charge is found nowhere is set aside for review, and stays held in full', async () => {
  const { server } = await useServer({ engines: { voiceSwap: new ScalingVoices() } });
  const path = join(await useFolder(), 'crash.db');
  const url = await useDatabaseUrl(path);
  const child = start(url, server.baseUrl, server.apiKey);
  await killWhen(child, ({ meteredMs = 0 }) => meteredMs > 100);

  const summary = {
    total_calls: 0,
    succeeded: 0,
    failed: 0,
    in_flight: 0,
    total_spent_usd: 0,
    per_feature: [],
  };
  const forgetful = await useStubApi((request, ...rest) =>
    json(200, request.url?.includes('/summary') ? summary : [])(request, ...rest),
  );
  const bench = await usePaidSessions(forgetful, { path, sessions: { limits: { recordMsMax: 300 } } });
  await vi.waitFor(
    async () => {
      const [hold] = await bench.holds();
      assert.equal(hold?.state, 'review');
    },
    { timeout: 15_000 },
  );
  const [row] = await bench.rows();
  expect(row).toMatchObject({ state: 'ended', end_reason: 'crashed', due_at_ms: null });
  const [hold] = await bench.holds();
  expect(hold).toMatchObject({ amount_micros: 120_000 });
  await expectSoundBooks(bench);
});
