import { pbkdf2 } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { receiveFile } from '../../../src/media-server/uploads/receive-file.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const FILE =
  '--B\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx';

/** Keeps the threads that open files busy for about 0.2 s. */
function busyThreads(): Promise<unknown> {
  return Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 150_000, 32, 'sha256')));
}

/** Returns a request as its server receives it. */
async function arriving(body: string): Promise<IncomingMessage> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage]>;
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'multipart/form-data; boundary=B' };
  const sent = fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body }).catch(() => undefined);
  const [request] = await asked;
  onTestFinished(async () => {
    request.socket.destroy();
    server.close();
    await sent;
  });
  return request;
}

test('a refused file can be removed at once, and is not created afterwards', async () => {
  const path = join(await useFolder(), 'part');
  const request = await arriving(`${FILE}\r\n${FILE}\r\n--B--`);
  const busy = busyThreads();
  await expect(receiveFile(request, { path, sizeBytesMax: () => 100 })).rejects.toThrow('Exactly one file');
  const isThere = existsSync(path);
  await busy;
  await busyThreads();
  expect(existsSync(path)).toBe(isThere);
});

test('the remaining bytes of a file that is too large cause no other error', async () => {
  const path = join(await useFolder(), 'part');
  const request = await arriving(`${FILE}${'x'.repeat(4_000_000)}\r\n--B--`);
  const busy = busyThreads();
  await expect(receiveFile(request, { path, sizeBytesMax: () => 100 })).rejects.toMatchObject({
    code: 'input_too_large',
  });
  await busy;
});
