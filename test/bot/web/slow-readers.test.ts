import { once } from 'node:events';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { type IncomingMessage, get } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { findJob, insertJob } from '../../../db/queries/jobs.ts';
import { isSharedAddress } from '../../../src/base/caller-group.ts';
import { limitExchange } from '../../../src/base/limit-exchange.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { DownloadPlaces } from '../../../src/bot/web/download-places.ts';
import { aJob } from '../../db/a-job.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { useWeb } from './use-web.ts';

const MIB = 2 ** 20;
const TRUSTING = { trustProxy: isSharedAddress };

/**
 * Creates kept results of 64 MiB each, and a function that loads one as a caller behind a proxy on this machine.
 */
async function useResults(count: number) {
  const web = await useWeb({ server: TRUSTING });
  const folder = join(await useFolder(), 'results');
  await mkdir(folder);
  const links: string[] = [];
  for (let index = 0; index < count; index++) {
    const path = join(folder, `${index}.mp4`);
    await writeFile(path, '');
    await truncate(path, 64 * MIB);
    const kept = {
      outcome: 'succeeded',
      stage: 'settled',
      result_path: path,
      result_mime: 'video/mp4',
    } as const;
    const job = aJob(`r${index}`, { ...kept, settled_at_ms: 1 });
    await web.db.transaction('guild:guild', (trx) => insertJob(trx, job));
    const stored = await findJob(web.db.kysely, job.id);
    links.push((stored && web.links.linkTo(stored)?.url) ?? '');
  }
  await web.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = web.app.server.address() as AddressInfo;
  const load = async (result: number, from: string): Promise<IncomingMessage> => {
    const headers = { 'x-forwarded-for': `10.9.8.7, ${from}` };
    const request = get({ port, host: '127.0.0.1', path: links[result] ?? '', agent: false, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    onTestFinished(() => void response.destroy());
    response.on('error', () => undefined).pause();
    return response;
  };
  return { web, load };
}

test('gives one caller neither all places of a result nor all places in total', async () => {
  const { load } = await useResults(8);
  const slow: number[] = [];
  for (let index = 0; index < 64; index++) slow.push((await load(index % 8, '203.0.113.7')).statusCode ?? 0);

  expect(slow.filter((status) => status === 200)).toHaveLength(6);
  for (let result = 0; result < 8; result++) {
    expect((await load(result, '203.0.113.8')).statusCode).toBe(result < 6 ? 200 : 503);
    expect((await load(result, '2a00:1450::1')).statusCode).toBe(result < 6 ? 200 : 503);
  }
});

test('ends the oldest download of a caller in many networks for a caller who has fewer', async () => {
  const { load } = await useResults(12);
  const held: IncomingMessage[] = [];
  for (let index = 0; index < 64; index++) {
    held.push(await load(index % 12, `2001:db8:1:1${index.toString(16).padStart(2, '0')}::1`));
  }
  expect(held.filter(({ statusCode }) => statusCode === 200)).toHaveLength(64);
  const first = held[0] as IncomingMessage;
  first.resume();

  expect((await load(9, '2001:db8:2::1')).statusCode).toBe(200);

  await expect.poll(() => first.closed).toBe(true);
  expect(first.complete).toBe(false);
  expect((await load(8, '2001:db8:1:1ff::1')).statusCode).toBe(503);
  expect((await load(10, '203.0.113.8')).statusCode).toBe(200);
});

test('ends downloads of one result for callers who have fewer of it', () => {
  const ended: number[] = [];
  const places = new DownloadPlaces();
  const take = (jobId: string, address: string, index = 0) =>
    places.take({ jobId, address, end: () => void ended.push(index) }) !== undefined;
  for (let index = 0; index < 8; index++) expect(take('held', `2001:db8:1:${index}::1`, index)).toBe(true);
  expect(take('held', '2001:db8:1:8::1')).toBe(false);
  for (const other of ['a', 'b', 'c']) expect(take(other, '203.0.113.8')).toBe(true);

  expect(take('held', '203.0.113.8')).toBe(true);
  expect(take('held', '203.0.113.9')).toBe(true);
  expect(ended).toEqual([0, 1]);
});

test('admits a download of a caller who has none while another caller holds more than one', () => {
  const someNetwork = fc.nat(11).map((site) => `2001:db8:${site >> 2}:${site & 3}00::1`);
  const downloads = fc.array(fc.record({ address: someNetwork, job: fc.nat(20) }), { maxLength: 200 });
  fc.assert(
    fc.property(downloads, fc.nat(20), downloads, (before, job, after) => {
      const places = new DownloadPlaces();
      let isEnded = false;
      const take = ({ address, job: of }: { address: string; job: number }, end = (): void => undefined) =>
        places.take({ jobId: `job_${of}`, address, end });
      for (const download of before) take(download);
      const honest = take({ address: '203.0.113.7', job }, () => (isEnded = true));
      for (const download of after) take(download);
      expect([honest !== undefined, isEnded]).toEqual([true, false]);
    }),
  );
});

test('counts the callers behind a shared address as many callers', () => {
  const places = new DownloadPlaces();
  const taken = Array.from({ length: 80 }, (_none, index) =>
    places.take({ jobId: `job_${index % 10}`, address: '127.0.0.1', end: () => undefined }),
  );
  expect(taken.filter((leave) => leave !== undefined)).toHaveLength(64);
});

test('cuts off a reader that takes less than 16 KiB a second, and no other', async () => {
  const { web, load } = await useResults(1);
  const { clock } = web;
  const [slow, quick] = [await load(0, '203.0.113.7'), await load(0, '203.0.113.8')];
  await clock.advance(30_000);
  await once(quick.resume(), 'end');
  expect(quick.complete).toBe(true);

  // The slow reader has read nothing so far; the operating system buffers only a few megabytes for it.
  for (let minute = 0; minute < 3; minute++) await clock.advance(60_000);
  slow.resume();
  await expect.poll(() => slow.closed).toBe(true);
  expect(slow.complete).toBe(false);
});

test.each([
  [
    'a body that does not end',
    'POST /webhooks/cb_aaaaaaaaaaaaaaaa HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{',
  ],
  ['a body behind an answer', 'GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 99\r\n\r\n{'],
])('ends %s after 30 s, on a host’s server without limits', async (_what, text) => {
  const { web, seen } = await useListening();
  const socket = await ask(web.app.server.address() as AddressInfo, text, seen);
  await web.clock.advance(29_000);
  expect(socket.destroyed).toBe(false);
  await web.clock.advance(1_000);
  await expect.poll(() => socket.closed).toBe(true);
});

test('ends a request whose answer never comes', async () => {
  const clock = new FakeClock();
  const app = fastify();
  onTestFinished(() => app.close());
  app.addHook('onRequest', async (request, reply) =>
    limitExchange(request, reply, { answerMs: 30_000, clock }),
  );
  const never = new Promise<never>(() => undefined);
  const asked = Promise.withResolvers<void>();
  app.get('/', () => {
    asked.resolve();
    return never;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' }).resume();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await asked.promise;

  await clock.advance(30_000);

  await expect.poll(() => socket.closed).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});

async function useListening() {
  const web = await useWeb();
  await web.app.listen({ port: 0, host: '127.0.0.1' });
  return { web, seen: () => once(web.app.server, 'request') };
}

async function ask({ port }: AddressInfo, text: string, seen: () => Promise<unknown>): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).resume();
  onTestFinished(() => void socket.destroy());
  const arrived = seen();
  socket.on('error', () => undefined).write(text);
  await arrived;
  return socket;
}
