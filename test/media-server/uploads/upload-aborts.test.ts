import { pbkdf2 } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { startUpload } from './slow-upload.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';

const FILE_HEADER =
  'Content-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n';

interface Leaving {
  readonly sizeBytes: number;
  /** The share of the request that is sent, from none to all of it. */
  readonly share: number;
  /** Event-loop turns between the last byte and the disconnect. */
  readonly turns: number;
  readonly reset: boolean;
}

/** Sends a share of an upload over a separate connection and disconnects without waiting for the answer. */
async function leave(port: number, key: string, way: Leaving): Promise<void> {
  const body = Buffer.concat([
    Buffer.from(`--B\r\n${FILE_HEADER}`),
    Buffer.alloc(way.sizeBytes, 7),
    Buffer.from('\r\n--B--\r\n'),
  ]);
  const head = [
    'POST /api/v1/uploads HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: multipart/form-data; boundary=B',
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  const all = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.write(all.subarray(0, Math.ceil(all.length * way.share)), resolve));
  for (let turn = 0; turn < way.turns; turn++) await setImmediate();
  if (way.reset) socket.resetAndDestroy();
  else socket.destroy();
}

test('clients that disconnect at any moment keep no place and leave no unfinished file', async () => {
  const { server, api, dataDir } = await useServer();
  const way = fc.record({
    sizeBytes: fc.integer({ min: 1, max: 400_000 }),
    share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    turns: fc.integer({ min: 0, max: 4 }),
    reset: fc.boolean(),
  });
  const leavings = fc.sample(way, 300);
  for (let from = 0; from < leavings.length; from += 10) {
    const some = leavings.slice(from, from + 10);
    await Promise.all(some.map((leaving) => leave(server.port, server.apiKey, leaving)));
  }
  await vi.waitFor(async () => expect(await readdir(join(dataDir, 'parts'))).toEqual([]));
  expect((await api.upload(Buffer.from('bytes'))).status).toBe(200);
});

/** Keeps the threads that write files busy during `work`, as a slow disk would. */
async function onSlowDisk(work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const threads = Array.from({ length: 4 }, async () => {
    while (!done.signal.aborted) await promisify(pbkdf2)('x', 'y', 50_000, 64, 'sha512');
  });
  await work.finally(() => done.abort());
  await Promise.all(threads);
}

test('a client that disconnects after its last byte, while the disk is slow, keeps no place', async () => {
  const { server, api, dataDir } = await useServer();
  const whole = { share: 1, turns: 50, reset: true };
  const sizes = Array.from({ length: 20 }, (_none, index) => 120_000 + index * 20_000);
  const leavings = sizes.map((sizeBytes) => leave(server.port, server.apiKey, { ...whole, sizeBytes }));
  await onSlowDisk(Promise.all(leavings));
  await vi.waitFor(async () => expect(await readdir(join(dataDir, 'parts'))).toEqual([]));
  expect((await api.upload(Buffer.from('bytes'))).status).toBe(200);
});

test('a stopped server has no running upload', async () => {
  const { server, dataDir } = await useServer();
  const parts = (): Promise<string[]> => readdir(join(dataDir, 'parts'));
  const senders = Array.from({ length: 20 }, () => startUpload(server.baseUrl, server.apiKey, 'image/png'));
  for (const sender of senders) sender.answer.catch(() => undefined);
  await Promise.all(senders.map((sender) => sender.send(200_000)));
  await vi.waitFor(async () => expect(await parts()).toHaveLength(senders.length));
  const stop = async (): Promise<void> => {
    const stopped = server[Symbol.asyncDispose]();
    for (const { request } of senders) request.destroy();
    await stopped;
  };
  await onSlowDisk(stop());
  expect(await parts()).toEqual([]);
});

test('an upload that cannot be recorded leaves no file', async () => {
  const { api, dataDir } = await useServer();
  useDatabase(dataDir).exec(
    "CREATE TRIGGER fault BEFORE INSERT ON uploads BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  expect((await api.upload(Buffer.from('bytes'))).status).toBe(500);
  for (const folder of ['parts', 'uploads']) expect(await readdir(join(dataDir, folder))).toEqual([]);
});
