import { expect, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { ApiClient } from '../api-client.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';

const DAY_MS = 86_400_000;

test.each([
  ['no image_key', { face_key: 'api/x' }],
  ['no face_key', { image_key: 'api/x' }],
  ['image_key without api/', { image_key: 'x', face_key: 'api/x' }],
  ['face_key without api/', { image_key: 'api/x', face_key: 'API/x' }],
  ['a URL as key', { image_key: 'https://example.com/a.png', face_key: 'api/x' }],
  ['a number as key', { image_key: 5, face_key: 'api/x' }],
  ['an unknown key', { image_key: 'api/up_x', face_key: 'api/up_x' }],
  ['a callback that is not text', { callback_url: 5 }],
  ['a callback that is not a URL', { callback_url: 'hooks' }],
  ['a callback with another scheme', { callback_url: 'ftp://example.com/' }],
  ['a callback into a private network', { callback_url: 'http://10.1.2.3/hook' }],
  ['a callback to the metadata address', { callback_url: 'http://169.254.169.254/latest' }],
  ['a callback with credentials', { callback_url: 'https://u:p@example.com/' }],
])('%s is invalid_input', async (_name, changes) => {
  const { api, dataDir } = await useServer();
  const complete = 'callback_url' in changes ? await api.photoSwapBody() : {};
  const answer = await api.post('/face-swap-image', { ...complete, ...changes });
  expect([answer.status, answer.json]).toEqual([
    400,
    { error: { code: 'invalid_input', message: expect.any(String) } },
  ]);
  expect(useDatabase(dataDir).count('jobs')).toBe(0);
});

test('a video in place of a picture is refused', async () => {
  const { api } = await useServer();
  const { file_key } = (await api.upload(Buffer.from('v'), 'video/mp4')).json as { file_key: string };
  const body = await api.photoSwapBody();
  expect(await api.post('/face-swap-image', { ...body, face_key: file_key })).toMatchObject({ status: 400 });
});

test('unknown body fields are ignored', async () => {
  const { api } = await useServer();
  await api.submit({ ...(await api.photoSwapBody()), metadata: { a: 1 }, resolution: '8k' });
});

test('50 simultaneous equal submits make one job, one hold and one charge', async () => {
  const { api, dataDir } = await useServer();
  const body = await api.photoSwapBody();
  const submits = Array.from({ length: 50 }, () => api.submit(body, { 'idempotency-key': 'one' }));
  const ids = new Set((await Promise.all(submits)).map(({ id }) => id));
  expect(ids.size).toBe(1);
  await api.ended([...ids][0] ?? '');
  const database = useDatabase(dataDir);
  expect(database.all('SELECT kind FROM entries ORDER BY id')).toEqual([
    { kind: 'top_up' },
    { kind: 'hold' },
    { kind: 'release' },
    { kind: 'charge' },
  ]);
});

test('a replay is answered with the original job after a restart, even without balance, room and enabled capability', async () => {
  const first = await useServer({ openingBalance: parseUsd('0.06') });
  first.engine.pause();
  const body = await first.api.photoSwapBody();
  const key = { 'idempotency-key': 'kept' };
  const original = await first.api.submit(body, key);
  const second = await first.restart();
  await second.api.ended(original.id);
  second.server.admin.switchCapability('photo_swap', false);
  second.server.admin.setCeiling(1);
  expect(await second.api.submit(body, key)).toEqual({ ...original, status: 'succeeded' });
  const other = { image_key: 'api/other', face_key: 'api/other' };
  expect((await second.api.submit(other, key)).id).toBe(original.id);
});

test('a key belongs to its account', async () => {
  const { api, server } = await useServer();
  const accountId = server.admin.createAccount('B');
  server.admin.topUp(parseUsd('1'), accountId);
  const other = new ApiClient(server.baseUrl, server.admin.createKey({ name: 'B', accountId }).text);
  const mine = await api.submit(await api.photoSwapBody(), { 'idempotency-key': 'same' });
  const theirs = await other.submit(await other.photoSwapBody(), { 'idempotency-key': 'same' });
  expect(theirs.id).not.toBe(mine.id);
});

test('refusals use up no key: 400, 402 and 429 are followed by a job under the same key', async () => {
  const { api, server, engine } = await useServer({ openingBalance: parseUsd('0.01') });
  const body = await api.photoSwapBody();
  const submit = async (content: object): Promise<number> =>
    (await api.post('/face-swap-image', content, { 'idempotency-key': 'k' })).status;
  expect(await submit({})).toBe(400);
  expect(await submit(body)).toBe(402);
  server.admin.topUp(parseUsd('1'));
  engine.pause();
  server.admin.setCeiling(1);
  await api.submit(body);
  expect(await submit(body)).toBe(429);
  server.admin.setCeiling(2);
  expect(await submit(body)).toBe(200);
  engine.release();
});

test('a key refers to its job for the declared time and not longer', async () => {
  const clock = new FakeClock();
  const { api } = await useServer({ clock, idempotencyRetentionMs: DAY_MS, uploadRetentionMs: 30 * DAY_MS });
  const body = await api.photoSwapBody();
  const submit = async (): Promise<string> => (await api.submit(body, { 'idempotency-key': 'k' })).id;
  const first = await submit();
  await api.ended(first);
  await clock.advance(DAY_MS - 1);
  expect(await submit()).toBe(first);
  await clock.advance(1);
  const second = await submit();
  expect(second).not.toBe(first);
  expect(await submit()).toBe(second);
});

test('a retention under 24 hours is rejected at start', async () => {
  await expect(useServer({ idempotencyRetentionMs: DAY_MS - 1 })).rejects.toThrow('idempotencyRetentionMs');
});

test.each([
  ['too long', 'k'.repeat(256)],
  ['empty', ''],
])('an idempotency key that is %s is refused', async (_name, key) => {
  const { api } = await useServer();
  const answer = await api.post('/face-swap-image', await api.photoSwapBody(), { 'idempotency-key': key });
  expect(answer.status).toBe(400);
});

test('exactly 7 of 100 simultaneous submits become jobs with a balance for 7', async () => {
  const { api, engine, dataDir } = await useServer({
    openingBalance: parseUsd('0.45'),
    jobsInFlightMax: 1_000,
  });
  engine.pause();
  const body = await api.photoSwapBody();
  const answers = await Promise.all(Array.from({ length: 100 }, () => api.post('/face-swap-image', body)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(7);
  expect(statuses.filter((status) => status === 402)).toHaveLength(93);
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 0.03, total_spent_usd: 0 });
  expect(useDatabase(dataDir).recomputed()).toMatchObject({ balance: 30_000, held: 420_000 });
  engine.release();
});

test('the ceiling counts queued and processing jobs, which free it when they end', async () => {
  const { api, engine, server } = await useServer({ jobsInFlightMax: 2 });
  engine.pause();
  const body = await api.photoSwapBody();
  const { id } = await api.submit(body);
  await api.submit(body);
  const refused = await api.post('/face-swap-image', body);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  server.admin.cancelJob(id);
  await api.submit(body);
  engine.release();
});

test('only the first error is reported: key, rate, body, switch, ceiling, balance; a replay needs only a body', async () => {
  const clock = new FakeClock();
  const { api, server, engine } = await useServer({ clock, openingBalance: parseUsd('0.06') });
  engine.pause();
  const body = await api.photoSwapBody();
  const original = await api.submit(body, { 'idempotency-key': 'first' });
  const few = server.admin.createKey({ name: 'Few', requestsPerMinute: 1 });
  const caller = new ApiClient(server.baseUrl, few.text);
  const codeOf = async (content: object, key: string): Promise<unknown> => {
    const { json } = await caller.post('/face-swap-image', content, { 'idempotency-key': key });
    return (json as { error?: { code: string } }).error?.code ?? (json as { id: string }).id;
  };
  server.admin.switchCapability('photo_swap', false);
  server.admin.setCeiling(1);
  const bad = { ...body, face_key: 'no key' };

  const nobody = new ApiClient(server.baseUrl, 'mk_nobody');
  expect((await nobody.post('/face-swap-image', bad)).json).toMatchObject({
    error: { code: 'unauthorized' },
  });
  await caller.get('/balance');
  expect(await codeOf(bad, 'first')).toBe('rate_limited');
  server.admin.setRequestsPerMinute(few.id, 100);
  expect(await codeOf(bad, 'first')).toBe('invalid_input');
  expect(await codeOf(body, 'first')).toBe(original.id);
  expect(await codeOf(body, 'second')).toBe('capability_unavailable');
  server.admin.switchCapability('photo_swap', true);
  expect(await codeOf(body, 'second')).toBe('at_capacity');
  server.admin.setCeiling(2);
  expect(await codeOf(body, 'second')).toBe('insufficient_balance');
  engine.release();
});
