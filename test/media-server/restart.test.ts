import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseUsd } from '../../src/base/money.ts';
import { ApiClient } from './api-client.ts';
import { startUpload } from './uploads/slow-upload.ts';
import { useDatabase } from './use-database.ts';
import { useReceiver } from './use-receiver.ts';
import { useServer } from './use-server.ts';
import { useFolder } from '../helpers/use-folder.ts';

test('after kill -9 every accepted job is rendered, charged once and announced', async () => {
  const dataDir = await useFolder();
  const receiver = await useReceiver();
  const child = await useChildServer(dataDir);
  const body = { ...(await child.api.photoSwapBody()), callback_url: receiver.url };
  const submits = Array.from({ length: 5 }, (_, index) =>
    child.api.submit(body, { 'idempotency-key': `job-${index}` }),
  );
  const ids = (await Promise.all(submits)).map(({ id }) => id);
  await vi.waitFor(async () => expect((await child.api.job(ids[0] ?? '')).status).toBe('processing'));
  await child.kill();
  const { api, server } = await useServer({ dataDir });
  expect(server.apiKey).toBe(child.api.key);
  for (const id of ids) expect(await api.ended(id)).toMatchObject({ status: 'succeeded', charged_usd: 0.04 });
  expect((await api.submit(body, { 'idempotency-key': 'job-0' })).id).toBe(ids[0]);
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 24.8, total_spent_usd: 0.2 });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(5));
  expect(new Set(receiver.received.map(({ body: { data } }) => data.id))).toEqual(new Set(ids));
});

test('a stopped server leaves its jobs processing, and the next one continues them', async () => {
  const first = await useServer({ renderWorkers: 1 });
  first.engine.pause();
  const body = await first.api.photoSwapBody();
  const ids = [(await first.api.submit(body)).id, (await first.api.submit(body)).id];
  await vi.waitFor(() => expect(first.engine.begun).toHaveLength(1));
  const second = await first.restart();
  const order = useDatabase(first.dataDir);
  for (const id of ids) expect((await second.api.ended(id)).status).toBe('succeeded');
  expect(order.all('SELECT renders FROM jobs ORDER BY seq')).toEqual([{ renders: 1 }, { renders: 1 }]);
  expect(second.engine.begun).toHaveLength(2);
});

test.each([
  [4, 'succeeded'],
  [5, 'failed'],
])('a job that killed the server %i times ends %s', async (crashes, status) => {
  const first = await useServer();
  first.engine.pause();
  const { id } = await first.api.submit(await first.api.photoSwapBody());
  await vi.waitFor(() => expect(first.engine.begun).toHaveLength(1));
  await first.server[Symbol.asyncDispose]();
  useDatabase(first.dataDir).exec(`UPDATE jobs SET renders = ${crashes}`);
  const second = await useServer({ dataDir: first.dataDir });
  expect((await second.api.ended(id)).status).toBe(status);
  expect(second.engine.begun).toHaveLength(status === 'failed' ? 0 : 1);
});

test('files of a killed server that have no row are removed at the next start', async () => {
  const first = await useServer();
  const key = await first.api.uploadPicture();
  await first.server[Symbol.asyncDispose]();
  for (const stray of ['uploads/up_stray', 'outputs/job_stray', 'parts/part_stray']) {
    await writeFile(join(first.dataDir, stray), 'x');
  }
  await useServer({ dataDir: first.dataDir });
  const left = await Promise.all(
    ['uploads', 'outputs', 'parts'].map((folder) => readdir(join(first.dataDir, folder))),
  );
  expect(left.flat()).toEqual([key.slice('api/'.length)]);
});

test('a second server on the same folder is refused, and the first one is not affected', async () => {
  const { api, dataDir } = await useServer();
  await expect(useServer({ dataDir })).rejects.toMatchObject({ code: 'data_dir_in_use' });
  expect((await api.get('/balance')).status).toBe(200);
});

test('settings of the administrator survive a restart', async () => {
  const first = await useServer();
  const rate = { rate: parseUsd('0.5'), minimum: parseUsd('0.5'), hold: parseUsd('0.6') };
  first.server.admin.setRate('photo_swap', rate);
  first.server.admin.switchCapability('photo_swap', false);
  const { api } = await first.restart();
  expect((await api.get('/pricing')).json).toMatchObject({
    capabilities: expect.arrayContaining([expect.objectContaining({ feature: 'photo_swap', rate_usd: 0.5 })]),
  });
  expect((await api.post('/face-swap-image', await api.photoSwapBody())).status).toBe(400);
});

test('stopping lets a running request finish, and accepts no other', async () => {
  const { server, api, dataDir } = await useServer();
  const sender = startUpload(server.baseUrl, server.apiKey, 'image/png');
  await sender.send(65_536);
  await vi.waitFor(async () => expect(await readdir(join(dataDir, 'parts'))).toHaveLength(1));
  const stopped = server[Symbol.asyncDispose]();
  sender.request.end('\r\n--B--\r\n');
  expect((await sender.answer)[0]).toBe(200);
  await stopped;
  await expect(api.get('/balance')).rejects.toThrow('fetch failed');
});

async function useChildServer(dataDir: string): Promise<{ api: ApiClient; kill(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('crash-child.ts', import.meta.url)), dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { baseUrl, apiKey } = JSON.parse(line.toString()) as { baseUrl: string; apiKey: string };
  return { api: new ApiClient(baseUrl, apiKey), kill };
}
