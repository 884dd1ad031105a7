import { open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Reply, drop, json, refuse, useClient, useStubApi } from './use-stub-api.ts';
import { useFolder } from '../helpers/use-folder.ts';

const UPLOADED = { file_key: 'api/ü %2F\n', url: 'https://files.example/u?sig=1' };

async function useFile(content: Uint8Array | number): Promise<{ path: string; sizeBytes: number }> {
  const folder = await useFolder();
  const path = join(folder, 'input');
  if (typeof content !== 'number') {
    await writeFile(path, content);
    return { path, sizeBytes: content.length };
  }
  await using handle = await open(path, 'w');
  await handle.truncate(content);
  return { path, sizeBytes: content };
}

const PNG = { mime: 'image/png', extension: 'png' };
const MP4 = { mime: 'video/mp4', extension: 'mp4' };

test('a file is sent as one part named `file` with its own type and a neutral name', async () => {
  const stub = await useStubApi(json(200, UPLOADED));
  const content = Buffer.from([0x89, 0x50, 0x0d, 0x0a, 0x2d, 0x2d, 0xff]);
  const upload = await useClient(stub).uploads.create({ ...(await useFile(content)), ...PNG });
  expect(upload).toEqual({ fileKey: UPLOADED.file_key, url: UPLOADED.url });
  const [request] = stub.received;
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=(.+)$/.exec(request?.headers['content-type'] ?? '') ?? [];
  expect(request?.body.toString('latin1')).toBe(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="upload.png"\r\n` +
      `Content-Type: image/png\r\n\r\n${content.toString('latin1')}\r\n--${boundary}--\r\n`,
  );
  expect(request?.headers).toMatchObject({ 'content-length': String(request?.body.length) });
  expect(request?.headers).not.toHaveProperty('idempotency-key');
});

test.each([
  ['image/png', 45_000_000, 'tried'],
  ['image/png', 45_000_001, 'tried'],
  ['image/png', 47_185_920, 'tried'],
  ['image/png', 47_185_921, 'input_too_large'],
  ['audio/wav', 47_185_921, 'input_too_large'],
  ['video/mp4', 524_288_000, 'tried'],
  ['video/mp4', 524_288_001, 'input_too_large'],
  ['image/png', 0, 'invalid_input'],
  ['application/pdf', 10, 'unsupported_format'],
  ['text/html', 10, 'unsupported_format'],
  ['image/png\r\nX-Evil: 1', 10, 'unsupported_format'],
] as const)('%s of %i bytes: %s', async (mime, sizeBytes, outcome) => {
  const stub = await useStubApi(refuse(400, 'tried'));
  const file = { path: '/nowhere', sizeBytes, mime, extension: 'bin' };
  const call = useClient(stub).uploads.create(file);
  if (outcome === 'tried') await expect(call).rejects.toMatchObject({ code: 'ENOENT' });
  else await expect(call).rejects.toMatchObject({ code: outcome, status: 400, local: true });
  expect(stub.received).toHaveLength(0);
});

test('an extension that could break the header is a programming error', async () => {
  const stub = await useStubApi(json(200, UPLOADED));
  const file = { path: '/nowhere', sizeBytes: 1, mime: 'image/png', extension: 'p"ng' };
  await expect(useClient(stub).uploads.create(file)).rejects.toThrow(TypeError);
});

test('an upload that is cut off or fails is sent again from the start', async () => {
  const content = Buffer.alloc(300_000, 7);
  const cut: Reply = (request) => void request.once('data', () => request.socket.destroy());
  const stub = await useStubApi(cut, refuse(502, 'internal_error'), json(200, UPLOADED));
  await useClient(stub).uploads.create({ ...(await useFile(content)), ...PNG });
  expect(stub.arrivals()).toBe(3);
  expect(stub.received.at(-1)?.body.includes(content)).toBe(true);
});

test('an upload that is always cut off ends after three attempts', async () => {
  const stub = await useStubApi(drop);
  const call = useClient(stub).uploads.create({ ...(await useFile(Buffer.alloc(100_000))), ...PNG });
  await expect(call).rejects.toMatchObject({ code: 'connection_lost', ambiguous: true });
  expect(stub.arrivals()).toBe(3);
});

test('an answer whose key does not start with api/ is not a success', async () => {
  const stub = await useStubApi(json(200, { ...UPLOADED, file_key: 'other/x' }));
  const call = useClient(stub).uploads.create({ ...(await useFile(Buffer.alloc(10))), ...PNG });
  await expect(call).rejects.toMatchObject({ code: 'bad_answer' });
});

test('a file whose size differs from the given one is not sent', async () => {
  const stub = await useStubApi(json(200, UPLOADED));
  const { path } = await useFile(Buffer.alloc(10));
  const call = useClient(stub).uploads.create({ path, sizeBytes: 11, ...PNG });
  await expect(call).rejects.toThrow('10 bytes instead of 11');
  expect(stub.received).toHaveLength(0);
});

/**
 * Starts a server that reads a megabyte of each request, refuses it and closes the connection while much of the
 * request is still on its way.
 */
async function useEarlyRefusal(): Promise<{ baseUrl: string; tries: () => number }> {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    let read = 0;
    const body = '{"error":{"code":"input_too_large","message":"Too large"}}';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        read += chunk.length;
        if (read < 1_000_000) return;
        socket.removeAllListeners('data').pause();
        socket.end(
          `HTTP/1.1 400 Bad Request\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
        socket.destroySoon();
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { baseUrl: `http://127.0.0.1:${port}/api/v1`, tries: () => tries };
}

test('a refusal during an upload is read although the connection breaks while the client writes', async () => {
  const server = await useEarlyRefusal();
  const client = useClient(server);
  const file = { ...(await useFile(40_000_000)), ...MP4 };
  for (let round = 0; round < 10; round++) {
    await expect(client.uploads.create(file)).rejects.toMatchObject({ code: 'input_too_large', status: 400 });
  }
});

test('a large file is streamed, so memory does not grow with its size', async () => {
  let peakRss = 0;
  let bytes = 0;
  const hash = createHash('sha256');
  const stub = await useStubApi(async (request, response) => {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
      peakRss = Math.max(peakRss, process.memoryUsage.rss());
    }
    response.end(JSON.stringify(UPLOADED));
  });
  const file = { ...(await useFile(256 * 1024 * 1024)), ...MP4 };
  const before = process.memoryUsage.rss();
  await useClient(stub).uploads.create(file);
  expect(bytes).toBeGreaterThan(256 * 1024 * 1024);
  expect((peakRss - before) / 1024 / 1024).toBeLessThan(64);
});

test('an aborted upload ends at once and leaves no connection', async () => {
  const stub = await useStubApi((request) => void request.pause());
  const controller = new AbortController();
  const file = { ...(await useFile(20_000_000)), ...MP4 };
  const call = useClient(stub).uploads.create(file, { signal: controller.signal });
  const ended = call.catch((error: unknown) => error);
  await vi.waitFor(() => expect(stub.arrivals()).toBe(1));
  controller.abort();
  expect(await ended).toMatchObject({ code: 'aborted', ambiguous: true });
});

test('the deadline of an upload grows with its size', async () => {
  const stub = await useStubApi((request, response) => {
    // Reads at about 2 MB/s, so that the whole upload takes longer than a plain request may.
    request.on('data', (chunk: Buffer) => {
      request.pause();
      setTimeout(() => request.resume(), chunk.length / 4000);
    });
    request.on('end', () => response.end(JSON.stringify(UPLOADED)));
  });
  const limits = { totalMs: 150, headersMs: 150, uploadBytesPerSecondMin: 200_000 };
  const file = { ...(await useFile(2_000_000)), ...MP4 };
  expect(await useClient(stub, { limits }).uploads.create(file)).toMatchObject({
    fileKey: UPLOADED.file_key,
  });
  const strict = useClient(stub, { limits: { ...limits, uploadBytesPerSecondMin: 50_000_000 } });
  await expect(strict.uploads.create(file)).rejects.toMatchObject({ code: 'timed_out' });
});
