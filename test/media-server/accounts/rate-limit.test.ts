import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { spendRequest } from '../../../src/media-server/accounts/spend-request.ts';
import { findApiKey } from '../../../src/media-server/accounts/api-keys.ts';
import { Database } from '../../../src/media-server/store/database.ts';
import { ApiClient } from '../api-client.ts';
import { useServer } from '../use-server.ts';
import { runTogether } from '../../db/use-processes.ts';

test("60 requests a minute of any kind pass, and the 61st waits for the window's end", async () => {
  const clock = new FakeClock();
  const { api } = await useServer({ clock, requestsPerMinute: 60 });
  await clock.advance(15_000);
  for (let count = 0; count < 12; count++) {
    const statuses = [
      await api.get('/balance'),
      await api.get('/usage?limit=x'),
      await api.get('/jobs/job_missing'),
      await api.get('/no-such-route'),
      await api.get('/pricing'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 400, 404, 404, 200]);
  }
  const refused = await api.get('/balance');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
  expect(refused.json).toMatchObject({ error: { code: 'rate_limited' } });
  await clock.advance(44_999);
  expect((await api.get('/balance')).headers.get('retry-after')).toBe('1');
  await clock.advance(1);
  expect((await api.get('/balance')).status).toBe(200);
});

test('anonymous pricing, refused keys, links and health are not counted', async () => {
  const { api, server } = await useServer({ clock: new FakeClock(), requestsPerMinute: 1 });
  const anonymous = new ApiClient(server.baseUrl);
  for (let count = 0; count < 5; count++) {
    expect((await anonymous.get('/pricing')).status).toBe(200);
    expect((await anonymous.get('/balance')).status).toBe(401);
    expect((await anonymous.get(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
  }
  expect((await api.get('/balance')).status).toBe(200);
  expect((await api.get('/balance')).status).toBe(429);
});

test('each key has its own window and its own limit, which can be raised at once', async () => {
  const { server } = await useServer({ clock: new FakeClock() });
  const few = server.admin.createKey({ name: 'Few', requestsPerMinute: 2 });
  const many = server.admin.createKey({ name: 'Many', requestsPerMinute: 600 });
  const passed = async (key: string, tries: number): Promise<number> => {
    const api = new ApiClient(server.baseUrl, key);
    const answers = await Promise.all(Array.from({ length: tries }, () => api.get('/balance')));
    return answers.filter(({ status }) => status === 200).length;
  };
  expect(await passed(few.text, 5)).toBe(2);
  expect(await passed(many.text, 100)).toBe(100);
  expect(server.admin.setRequestsPerMinute(few.id, 10)).toBe(true);
  expect(await passed(few.text, 10)).toBe(5);
});

test('the window survives a restart and is shared by processes on the same data', async () => {
  const clock = new FakeClock();
  const first = await useServer({ clock, requestsPerMinute: 60 });
  for (let count = 0; count < 20; count++) await first.api.get('/balance');
  const second = await first.restart();
  const workers = Array.from({ length: 4 }, () => new Database(join(first.dataDir, 'media-server.db')));
  let passed = 0;
  for (let count = 0; count < 50; count++) {
    const db = workers[count % 4];
    const key = db && findApiKey(db, second.server.apiKey);
    if (!db || !key) throw new Error('No key');
    try {
      spendRequest(db, clock, key);
      passed += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
    }
  }
  for (const db of workers) db[Symbol.dispose]();
  expect(passed).toBe(40);
  expect((await second.api.get('/balance')).status).toBe(429);
});

test('four processes on the same data admit exactly 60 requests of a minute', async () => {
  const { server, dataDir } = await useServer();
  const { text } = server.admin.createKey({ name: 'Shared', requestsPerMinute: 60 });
  const script = new URL('rate-process.ts', import.meta.url);
  const passed = (await runTogether(script, 4, [dataDir, text])) as number[];
  expect(passed.reduce((sum, count) => sum + count, 0)).toBe(60);
});
