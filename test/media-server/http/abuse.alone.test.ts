import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startUpload } from '../uploads/slow-upload.ts';
import { useServer } from '../use-server.ts';

const MIB = 2 ** 20;

async function useSocket(port: number): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('latin1'))).on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, heard: () => heard };
}

const json = (key: string, length: number, more: readonly string[] = []): string =>
  [
    'POST /api/v1/face-swap-image HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...more,
    '\r\n',
  ].join('\r\n');

test.each([
  ['a JSON body of 64 KiB and more', (key: string) => json(key, 70_000) + `"${'a'.repeat(69_998)}"`],
  ['JSON nested 30,000 deep', (key: string) => json(key, 60_000) + '['.repeat(30_000) + ']'.repeat(30_000)],
  ['a body with a declared size of 10 GB', (key: string) => json(key, 10_000_000_000)],
  ['headers of 16 KiB and more', (key: string) => json(key, 0, [`X-Filler: ${'a'.repeat(20_000)}`])],
  [
    '3,000 headers',
    (key: string) =>
      json(
        key,
        0,
        Array.from({ length: 3_000 }, (_none, index) => `x${index}: 1`),
      ),
  ],
  ['a URL of 16 KiB and more', () => `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a key of 10 KB', () => json('k'.repeat(10_000), 0)],
])('%s is refused in the envelope, and the server continues', async (_name, request) => {
  const { server, api } = await useServer();
  const { socket, heard } = await useSocket(server.port);
  socket.write(request(server.apiKey));
  await vi.waitFor(() => expect(heard()).toMatch(/^HTTP\/1\.1 (400|401|404) [^]*"error":\{"code":"[a-z_]+"/));
  expect((await api.get('/balance')).status).toBe(200);
});

test('a compressed body is not decompressed', async () => {
  const { api } = await useServer();
  const bomb = gzipSync(Buffer.alloc(20 * MIB, '['));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await api.request('/face-swap-image', {
    method: 'POST',
    body: new Uint8Array(bomb),
    headers,
  });
  expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
});

test('16 pipelined requests on one connection are all answered; one with 500 is closed, in bounded memory', async () => {
  const { server, api } = await useServer();
  const request = `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.apiKey}\r\n\r\n`;
  const few = await useSocket(server.port);
  few.socket.write(request.repeat(16));
  await vi.waitFor(() => expect(few.heard().match(/HTTP\/1\.1 200/g)).toHaveLength(16), { timeout: 10_000 });

  const many = await useSocket(server.port);
  const before = process.memoryUsage.rss();
  const ended = once(many.socket, 'close', { signal: AbortSignal.timeout(10_000) });
  many.socket.write(request.repeat(500));
  await ended;
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB);
  expect((await api.get('/balance')).status).toBe(200);
});

test('at most 64 uploads are received at the same time; the next ones are asked to try again later', async () => {
  const { server, api, dataDir } = await useServer();
  const senders = Array.from({ length: 64 }, () => startUpload(server.baseUrl, server.apiKey, 'image/png'));
  await Promise.all(senders.map((sender) => sender.send(1_000)));
  await vi.waitFor(async () => expect(await readdir(join(dataDir, 'parts'))).toHaveLength(64), {
    timeout: 20_000,
  });
  const refused = await api.upload(Buffer.from('x'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(refused.json).toMatchObject({ error: { code: 'at_capacity' } });
  for (const sender of senders) sender.request.end('\r\n--B--\r\n');
  const answers = await Promise.all(senders.map(({ answer }) => answer));
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  expect((await api.upload(Buffer.from('x'))).status).toBe(200);
});
