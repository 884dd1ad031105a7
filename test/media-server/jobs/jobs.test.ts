import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { parseUsd } from '../../../src/base/money.ts';
import type { PhotoSwapEngine } from '../../../src/media-server/engine/photo-swap-engine.ts';
import { RenderError } from '../../../src/media-server/engine/render-error.ts';
import { JOB_ERROR_CODES, type WireUsageRecord } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../api-client.ts';
import { TestEngine, picture } from '../test-engine.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';

/** Creates an engine that ends every render with this error. */
function failing(error: unknown): PhotoSwapEngine {
  return {
    async swapPhoto() {
      throw error;
    },
  };
}

test('a job shows exactly five fields in each of its four states', async () => {
  const { api, engine } = await useServer({ renderWorkers: 1 });
  engine.pause();
  const body = await api.photoSwapBody();
  const bad = (await api.upload(Buffer.from('not a picture'))).json as { file_key: string };
  const first = await api.submit(body);
  const second = await api.submit({ ...body, image_key: bad.file_key });
  const open = { output_url: null, charged_usd: null, error: null };
  await vi.waitFor(async () =>
    expect(await api.job(first.id)).toEqual({ id: first.id, status: 'processing', ...open }),
  );
  expect(await api.job(second.id)).toEqual({ id: second.id, status: 'queued', ...open });
  engine.release();
  expect(await api.ended(first.id)).toEqual({
    id: first.id,
    status: 'succeeded',
    output_url: expect.stringContaining('/outputs/'),
    charged_usd: 0.04,
    error: null,
  });
  expect(await api.ended(second.id)).toEqual({
    id: second.id,
    status: 'failed',
    output_url: null,
    charged_usd: 0,
    error: { code: 'unsupported_format', message: 'An input could not be decoded' },
  });
});

test.each(JOB_ERROR_CODES)('a render that ends with %s costs nothing and says so', async (code) => {
  const { api } = await useServer({
    engines: { photoSwap: failing(new RenderError(code, 'internal detail')) },
  });
  const before = await api.get('/balance');
  const { id } = await api.submit(await api.photoSwapBody());
  const job = await api.ended(id);
  expect(job).toMatchObject({ status: 'failed', charged_usd: 0, error: { code } });
  expect(JSON.stringify(job)).not.toContain('internal detail');
  expect((await api.get('/balance')).json).toEqual(before.json);
  expect((await api.get('/usage')).json).toMatchObject([
    { id, status: 'failed', charged_usd: 0, reason: 'render_failed' },
  ]);
});

test('an engine that throws anything else is processing_failed', async () => {
  const { api } = await useServer({ engines: { photoSwap: failing(new Error('segment fault')) } });
  const { id } = await api.submit(await api.photoSwapBody());
  expect((await api.ended(id)).error).toEqual({
    code: 'processing_failed',
    message: 'The render did not complete',
  });
});

test('a rejected content check of an input or the output ends the job', async () => {
  for (const folder of ['uploads', 'parts']) {
    const checkContent = async (path: string): Promise<'accepted' | 'rejected'> =>
      path.includes(`/${folder}/`) ? 'rejected' : 'accepted';
    const { api } = await useServer({ checkContent });
    const { id } = await api.submit(await api.photoSwapBody());
    expect(await api.ended(id)).toMatchObject({ error: { code: 'content_rejected' }, charged_usd: 0 });
  }
});

test('a render past its deadline is aborted, refunded and reported as timed out', async () => {
  const clock = new FakeClock();
  const { api, engine } = await useServer({ clock, renderTimeoutMs: 30_000 });
  engine.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  await vi.waitFor(() => expect(engine.begun).toHaveLength(1));
  await clock.advance(30_000);
  expect(await api.ended(id)).toMatchObject({ status: 'failed', error: { code: 'processing_failed' } });
  const [record] = (await api.get('/usage')).json as WireUsageRecord[];
  expect(record?.reason).toBe('timed_out');
});

test('a queued or processing job can be cancelled once, and its render stops', async () => {
  const { api, engine, server } = await useServer({ renderWorkers: 1 });
  engine.pause();
  const body = await api.photoSwapBody();
  const ids = [(await api.submit(body)).id, (await api.submit(body)).id];
  await vi.waitFor(async () => expect((await api.job(ids[0] ?? '')).status).toBe('processing'));
  for (const id of ids) {
    expect(server.admin.cancelJob(id)).toBe(true);
    expect(server.admin.cancelJob(id)).toBe(false);
    expect(await api.job(id)).toMatchObject({ status: 'failed', charged_usd: 0 });
  }
  expect((await api.get('/usage')).json).toMatchObject([{ reason: 'cancelled' }, { reason: 'cancelled' }]);
  const next = await api.submit(body);
  engine.release();
  expect((await api.ended(next.id)).status).toBe('succeeded');
});

test('a finished job cannot be cancelled', async () => {
  const { api, server } = await useServer();
  const { id } = await api.submit(await api.photoSwapBody());
  await api.ended(id);
  expect(server.admin.cancelJob(id)).toBe(false);
  expect((await api.job(id)).status).toBe('succeeded');
});

test('the end of a job cannot be changed, not even with an SQL shell', async () => {
  const { api, dataDir } = await useServer();
  const { id } = await api.submit(await api.photoSwapBody());
  await api.ended(id);
  const database = useDatabase(dataDir);
  for (const status of ['queued', 'processing', 'failed']) {
    expect(() => database.exec(`UPDATE jobs SET status = '${status}'`)).toThrow('never changes its status');
  }
  expect((await api.job(id)).status).toBe('succeeded');
});

test('at most as many renders run at the same time as there are workers', async () => {
  const { api, engine } = await useServer({ renderWorkers: 2 });
  engine.pause();
  const body = await api.photoSwapBody();
  const ids = await Promise.all(Array.from({ length: 5 }, async () => (await api.submit(body)).id));
  const statuses = async (): Promise<string[]> =>
    (await Promise.all(ids.map(async (id) => (await api.job(id)).status))).toSorted();
  await vi.waitFor(() => expect(engine.begun).toHaveLength(2));
  expect(await statuses()).toEqual(['processing', 'processing', 'queued', 'queued', 'queued']);
  engine.release();
  await Promise.all(ids.map((id) => api.ended(id)));
  expect(engine.begun).toHaveLength(5);
});

test.each([
  ['as many as the engines allow', { rendersAtOnce: 3 }, 3],
  [
    "one less than the processor's cores if they state no number",
    {},
    Math.max(1, availableParallelism() - 1),
  ],
])('by default a server starts %s', async (_name, engines, expected) => {
  const engine = new TestEngine();
  const { api } = await useServer({ engines: { photoSwap: engine, ...engines } });
  engine.pause();
  const body = await api.photoSwapBody();
  for (let count = 0; count <= expected; count++) await api.submit(body);
  await vi.waitFor(() => expect(engine.begun).toHaveLength(expected));
  expect((await api.get('/usage')).json).toMatchObject([
    { status: 'queued' },
    ...Array.from({ length: expected }, () => ({ status: 'processing' })),
  ]);
  engine.release();
});

test('a render may take half an hour by default, and not longer', async () => {
  const clock = new FakeClock();
  const { api, engine } = await useServer({ clock });
  engine.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  await vi.waitFor(() => expect(engine.begun).toHaveLength(1));
  await clock.advance(30 * 60_000 - 1);
  expect((await api.job(id)).status).toBe('processing');
  await clock.advance(1);
  expect((await api.ended(id)).status).toBe('failed');
});

test("an account with one job does not wait behind another account's many", async () => {
  const { api, engine, server, dataDir } = await useServer({ renderWorkers: 1 });
  const accountId = server.admin.createAccount('Small');
  server.admin.topUp(parseUsd('1'), accountId);
  const small = new ApiClient(server.baseUrl, server.admin.createKey({ name: 'Small', accountId }).text);
  engine.pause();
  const body = await api.photoSwapBody();
  const many = [];
  for (let count = 0; count < 5; count++) many.push((await api.submit(body)).id);
  const one = (await small.submit(await small.photoSwapBody())).id;
  engine.release();
  await Promise.all([...many.map((id) => api.ended(id)), small.ended(one)]);
  const ended = useDatabase(dataDir).all<{ before: number }>(
    'SELECT count(*) AS before FROM jobs WHERE finishedAt < (SELECT finishedAt FROM jobs WHERE id = ?)',
    one,
  );
  expect(ended[0]?.before).toBeLessThanOrEqual(2);
});

test('an input that is missing from the disk fails its job, not the server', async () => {
  const { api, dataDir, engine } = await useServer();
  engine.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  await rm(join(dataDir, 'uploads'), { recursive: true });
  engine.release();
  expect((await api.ended(id)).status).toBe('failed');
});

test('uploads in use by a waiting job survive their retention, others do not', async () => {
  const clock = new FakeClock();
  const { api, engine, dataDir } = await useServer({
    clock,
    uploadRetentionMs: 3_600_000,
    renderTimeoutMs: 86_400_000,
  });
  engine.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  await vi.waitFor(() => expect(engine.begun).toHaveLength(1));
  const idle = (await api.upload(await picture(3))).json as { file_key: string };
  await clock.advance(4_200_000);
  const kept = useDatabase(dataDir);
  await vi.waitFor(() =>
    expect(kept.all('SELECT id FROM uploads WHERE deletedAt IS NOT NULL')).toEqual([
      { id: idle.file_key.slice('api/'.length) },
    ]),
  );
  engine.release();
  expect((await api.ended(id)).status).toBe('succeeded');
});
