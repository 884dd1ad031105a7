import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { parseUsd } from '../../src/base/money.ts';
import type { MediaAdmin } from '../../src/media-server/media-admin.ts';
import { openMediaAdmin } from '../../src/media-server/open-media-admin.ts';
import { createMediaServer } from '../../src/media-server/server.ts';
import { ApiClient } from './api-client.ts';
import { TestEngine } from './test-engine.ts';
import { useReceiver } from './use-receiver.ts';
import { useServer } from './use-server.ts';
import { useFolder } from '../helpers/use-folder.ts';

async function useAdmin(dataDir: string, clock: FakeClock): Promise<MediaAdmin> {
  const opened = await openMediaAdmin({ dataDir, clock });
  onTestFinished(() => opened[Symbol.dispose]());
  return opened.admin;
}

test('changes by another process take effect with the next request', async () => {
  const clock = new FakeClock();
  const { server, dataDir } = await useServer({ clock });
  const admin = await useAdmin(dataDir, clock);
  const key = admin.createKey({ name: 'Console' });
  const api = new ApiClient(server.baseUrl, key.text);
  admin.topUp(parseUsd('5'));
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 30 });
  expect(admin.signingSecret()).toBe(server.signingSecret);
  const body = await api.photoSwapBody();
  admin.switchCapability('photo_swap', false);
  expect((await api.post('/face-swap-image', body)).json).toMatchObject({
    error: { code: 'capability_unavailable' },
  });
  admin.revokeKey(key.id);
  expect((await api.get('/balance')).status).toBe(401);
});

test('a job that another process cancels stops rendering and is announced within seconds', async () => {
  const clock = new FakeClock();
  const { api, engine, dataDir } = await useServer({ clock, renderWorkers: 1 });
  const admin = await useAdmin(dataDir, clock);
  const receiver = await useReceiver();
  engine.pause();
  const body = await api.photoSwapBody();
  const cancelled = await api.submit({ ...body, callback_url: receiver.url });
  const next = await api.submit(body);
  await vi.waitFor(() => expect(engine.begun).toHaveLength(1));
  expect(admin.cancelJob(cancelled.id)).toBe(true);
  expect((await api.job(next.id)).status).toBe('queued');
  await clock.advance(5_000);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  expect(receiver.received[0]?.body).toMatchObject({ event: 'job.failed', data: { id: cancelled.id } });
  await vi.waitFor(async () => expect((await api.job(next.id)).status).toBe('processing'));
});

test('nothing can be administrated if no server was ever started', async () => {
  await expect(openMediaAdmin({ dataDir: await useFolder() })).rejects.toMatchObject({
    code: 'no_media_server',
  });
});

test('a limit of zero and a top-up of zero are rejected', async () => {
  const { server } = await useServer();
  expect(() => server.admin.setCeiling(0)).toThrow(RangeError);
  expect(() => server.admin.setCeiling(1_001, 'voiceSessionsMax')).toThrow(RangeError);
  expect(() => server.admin.topUp(parseUsd('-1'))).toThrow(RangeError);
  expect(() => server.admin.createKey({ name: 'None', requestsPerMinute: 0 })).toThrow(RangeError);
});

test.each([
  ['port', { port: 70_000 }],
  ['renderWorkers', { renderWorkers: 0 }],
  ['headerPrefix', { headerPrefix: 'two words' }],
  ['publicUrl', { publicUrl: 'media.example.com' }],
  ['consoleOrigins', { consoleOrigins: ['media.example.com'] }],
  ['signingSecret', { signingSecret: 'short' }],
  ['API key', { apiKey: 'has spaces in it' }],
])('a malformed %s is rejected at start by its name, and the folder is free again', async (name, options) => {
  const dataDir = await useFolder();
  await expect(
    createMediaServer({ ...options, dataDir, engines: { photoSwap: new TestEngine() } }),
  ).rejects.toThrow(name);
  await useServer({ dataDir });
});

test('a port in use fails the start and frees the folder', async () => {
  const dataDir = await useFolder();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(
    createMediaServer({ dataDir, port, engines: { photoSwap: new TestEngine() } }),
  ).rejects.toMatchObject({
    code: 'port_in_use',
  });
  await useServer({ dataDir });
});
