import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { wireBalance, wireUsage } from '../../../src/media-api/wire.ts';
import type { WireUsageRecord } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../api-client.ts';
import { useDatabase } from '../use-database.ts';
import { type UsedServer, useServer } from '../use-server.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

test('the opening balance has six numbers', async () => {
  const { api } = await useServer();
  const answer = await api.get('/balance');
  expect(wireBalance.parse(answer.json)).toEqual(answer.json);
  expect(answer.json).toEqual({
    balance_usd: 25,
    total_spent_usd: 0,
    total_topped_up_usd: 25,
    spent_this_week_usd: 0,
    spent_this_month_usd: 0,
    spent_this_year_usd: 0,
  });
});

test('a usage record is complete, and a running call is in the log', async () => {
  const { api, engine } = await useServer({ clock: new FakeClock() });
  const body = await api.photoSwapBody();
  const { id } = await api.submit(body);
  await api.ended(id);
  engine.pause();
  const running = await api.submit(body);
  await vi.waitFor(async () => expect((await api.job(running.id)).status).toBe('processing'));
  const records = (await api.get('/usage')).json;
  expect(wireUsage.parse(records)).toEqual(records);
  const common = { endpoint: 'face-swap-image', feature: 'photo_swap', reason: null };
  const created_at = '2026-01-01T00:00:00.000Z';
  expect(records).toEqual([
    { ...common, id: running.id, status: 'processing', charged_usd: 0, created_at },
    { ...common, id, status: 'succeeded', charged_usd: 0.04, created_at },
  ]);
  engine.release();
});

/** Creates cancelled jobs, one a minute, oldest first. */
async function jobsByMinute(used: UsedServer, clock: FakeClock, count: number): Promise<string[]> {
  used.engine.pause();
  const body = await used.api.photoSwapBody();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await used.api.submit(body);
    used.server.admin.cancelJob(id);
    ids.push(id);
    await clock.advance(60_000);
  }
  return ids;
}

test('`from` is inclusive, `to` is exclusive, and the newest record is first', async () => {
  const clock = new FakeClock();
  const used = await useServer({ clock });
  const start = clock.now();
  const [first, second, third] = await jobsByMinute(used, clock, 3);
  const ids = async (query: string): Promise<string[]> =>
    ((await used.api.get(`/usage?${query}`)).json as WireUsageRecord[]).map(({ id }) => id);
  const minute = (count: number): string => iso(start + count * 60_000);
  expect(await ids('')).toEqual([third, second, first]);
  expect(await ids(`from=${minute(1)}`)).toEqual([third, second]);
  expect(await ids(`to=${minute(1)}`)).toEqual([first]);
  expect(await ids(`from=${minute(0)}&to=${minute(2)}`)).toEqual([second, first]);
  expect(await ids(`from=${minute(1)}&to=${minute(1)}`)).toEqual([]);
  expect(await ids('from=2026-01-01&to=2026-01-02')).toEqual([third, second, first]);
  expect(await ids('from=2026-01-01T01:01:00%2B01:00')).toEqual([third, second]);
  expect(await ids('limit=1')).toEqual([third]);
});

test.each([
  'limit=0',
  'limit=501',
  'limit=x',
  'limit=1.5',
  'limit=',
  'from=yesterday',
  'to=1767225600',
  'from=2026-01-01T00:00:00',
])('usage?%s is invalid_input', async (query) => {
  const { api } = await useServer();
  expect(await api.get(`/usage?${query}`)).toMatchObject({
    status: 400,
    json: { error: { code: 'invalid_input' } },
  });
});

test('the log returns 100 records by default and up to 500 on request', async () => {
  const { api, dataDir } = await useServer();
  const { id } = await api.submit(await api.photoSwapBody());
  await api.ended(id);
  useDatabase(dataDir).exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
    INSERT INTO jobs (id, accountId, feature, request, rate, minimum, hold, status, errorCode, createdAt, finishedAt)
    SELECT 'job_' || i, accountId, feature, request, rate, minimum, hold, 'failed', 'processing_failed', createdAt + i, createdAt + i
      FROM n, jobs WHERE jobs.id = '${id}'`);
  const count = async (query: string): Promise<number> =>
    ((await api.get(`/usage${query}`)).json as unknown[]).length;
  expect(await count('')).toBe(100);
  expect(await count('?limit=1')).toBe(1);
  expect(await count('?limit=500')).toBe(500);
});

test('accounts see only their own usage and balance', async () => {
  const { api, server } = await useServer();
  await api.ended((await api.submit(await api.photoSwapBody())).id);
  const accountId = server.admin.createAccount('B');
  const other = new ApiClient(server.baseUrl, server.admin.createKey({ name: 'B', accountId }).text);
  expect((await other.get('/usage')).json).toEqual([]);
  expect((await other.get('/balance')).json).toMatchObject({ balance_usd: 0, total_spent_usd: 0 });
});

test("pricing is public, and with a key it shows the account's own rates, which also bill it", async () => {
  const { server, api } = await useServer();
  const negotiated = { rate: parseUsd('0.025'), minimum: parseUsd('0.01'), hold: parseUsd('0.03') };
  const [account] = server.admin.listAccounts();
  server.admin.setRate('photo_swap', negotiated, account?.id);
  const listed = { endpoint: 'face-swap-image', feature: 'photo_swap', unit: 'image' };
  const card = (rates: object): object => ({
    version: expect.any(Number),
    currency: 'USD',
    capabilities: expect.arrayContaining([{ ...listed, ...rates }]),
  });
  const anonymous = new ApiClient(server.baseUrl);
  expect((await anonymous.get('/pricing')).json).toEqual(
    card({ rate_usd: 0.04, minimum_usd: 0.04, estimated_hold_usd: 0.06 }),
  );
  expect((await api.get('/pricing')).json).toEqual(
    card({ rate_usd: 0.025, minimum_usd: 0.01, estimated_hold_usd: 0.03 }),
  );
  const { id } = await api.submit(await api.photoSwapBody());
  expect((await api.ended(id)).charged_usd).toBe(0.025);
  const wrong = await new ApiClient(server.baseUrl, 'mk_wrong').get('/pricing');
  expect(wrong.status).toBe(401);
});
