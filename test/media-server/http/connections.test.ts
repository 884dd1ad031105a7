import { once } from 'node:events';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WireUpload } from '../../../src/media-api/wire.ts';
import { type UsedServer, useServer } from '../use-server.ts';

const MIB = 2 ** 20;

interface Line {
  readonly socket: Socket;
  write(text: string | Buffer): void;
  /** Returns everything that has been received so far. */
  heard(): string;
}

/** Opens a connection on which a test can send HTTP byte by byte. */
async function useLine(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => undefined);
  await once(socket, 'connect');
  return {
    socket,
    write: (text) => void socket.write(text),
    heard: () => Buffer.concat(chunks).toString('latin1'),
  };
}

function statuses(heard: string): string[] {
  return [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');
}

function get(path: string, key: string): string {
  return `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** Returns a whole upload request as text, with additional headers. */
function upload(key: string, headers: readonly string[], body: string): string {
  return [
    'POST /api/v1/uploads HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: multipart/form-data; boundary=B',
    ...headers,
    '',
    body,
  ].join('\r\n');
}

const FORM = '--B\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nbytes\r\n--B--\r\n';
const length = (body: string): string => `Content-Length: ${body.length}`;
const chunked = (body: string, pieces: number): string =>
  `${Array.from({ length: Math.ceil(body.length / pieces) }, (_none, index) => {
    const piece = body.slice(index * pieces, (index + 1) * pieces);
    return `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }).join('')}0\r\n\r\n`;

test('pipelined requests are answered in order, including uploads', async () => {
  const { server } = await useServer();
  const { apiKey } = server;
  const line = await useLine(server.port);
  line.write(
    [
      get('/balance', apiKey),
      upload(apiKey, [length(FORM)], FORM),
      get('/nothing', apiKey),
      upload(apiKey, ['Transfer-Encoding: chunked'], chunked(FORM, 1)),
      upload(apiKey, [length('--B--')], '--B--'),
      upload('mk_wrong', [length(FORM)], FORM),
      get('/usage', apiKey),
    ].join(''),
  );
  await vi.waitFor(() => expect(statuses(line.heard())).toHaveLength(7));
  expect(statuses(line.heard())).toEqual(['200', '200', '404', '200', '400', '401', '200']);
});

test('a request that arrives byte by byte is answered, and the connection stays usable', async () => {
  const { server } = await useServer();
  const line = await useLine(server.port);
  line.socket.setNoDelay(true);
  for (const byte of upload(server.apiKey, ['Transfer-Encoding: chunked'], chunked(FORM, 3)))
    line.write(byte);
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['200']));
  line.write(get('/balance', server.apiKey));
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['200', '200']));
});

test('a refused upload is read to its end, and its connection serves the next request', async () => {
  const { server } = await useServer({ imageBytesMax: 1_000 });
  const line = await useLine(server.port);
  const body = FORM.replace('bytes', 'x'.repeat(500_000));
  line.write(upload(server.apiKey, [length(body)], body.slice(0, 100_000)));
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['400']));
  line.write(body.slice(100_000));
  line.write(get('/balance', server.apiKey));
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['400', '200']));
});

test('a request with "Expect: 100-continue" gets the 100, and any other expectation is refused in the envelope', async () => {
  const { server } = await useServer();
  const line = await useLine(server.port);
  line.write(upload(server.apiKey, [length(FORM), 'Expect: 100-continue'], ''));
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['100']));
  line.write(FORM);
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['100', '200']));
  const other = await useLine(server.port);
  other.write(upload(server.apiKey, [length(FORM), 'Expect: a miracle'], FORM));
  await vi.waitFor(() => expect(other.heard()).toContain('"invalid_input"'));
  expect(statuses(other.heard())).toEqual(['400']);
});

test.each([
  ['a chunk of invalid size', ['Transfer-Encoding: chunked'], 'zz\r\n'],
  ['two lengths', ['Content-Length: 5', 'Content-Length: 6'], 'bytes'],
])(
  '%s is refused in the envelope, also on a connection that was used before',
  async (_name, headers, body) => {
    const { server } = await useServer();
    const line = await useLine(server.port);
    line.write(get('/balance', server.apiKey));
    await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['200']));
    line.write(upload(server.apiKey, headers, body));
    await once(line.socket, 'close');
    expect(statuses(line.heard())).toEqual(['200', '400']);
    expect(line.heard()).toContain('"invalid_input"');
  },
);

test('invalid bytes after a request that still waits are not taken for its answer', async () => {
  const { server } = await useServer();
  const line = await useLine(server.port);
  line.write(`${upload(server.apiKey, [length(FORM)], FORM)}NONSENSE\r\n\r\n`);
  await once(line.socket, 'close');
  expect(statuses(line.heard())).toEqual([]);
});

test('a refused upload that continues with invalid bytes is not answered twice', async () => {
  const { server } = await useServer();
  const line = await useLine(server.port);
  line.write(upload('mk_wrong', ['Transfer-Encoding: chunked'], '5\r\nbytes\r\n'));
  await vi.waitFor(() => expect(statuses(line.heard())).toEqual(['401']));
  line.write('zz\r\n');
  await once(line.socket, 'close');
  expect(statuses(line.heard())).toEqual(['401']);
});

/** Returns how many of this process's open files are in the folder. */
async function openFiles(folder: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder)).length;
}

/** Returns the number of bytes that this process has read so far, from any source. */
async function bytesRead(): Promise<number> {
  return Number(/^rchar: (\d+)/m.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
}

async function uploadOf({ api }: UsedServer, sizeBytes: number): Promise<URL> {
  return new URL(((await api.upload(Buffer.alloc(sizeBytes, 1))).json as WireUpload).url);
}

test.runIf(process.platform === 'linux')(
  'downloads that are abandoned at any moment leave no open file',
  async () => {
    const used = await useServer();
    const folder = join(used.dataDir, 'uploads');
    const { pathname, search } = await uploadOf(used, 8 * MIB);
    for (let round = 0; round < 60; round++) {
      const line = await useLine(used.server.port);
      line.write(`${round % 3 ? 'GET' : 'HEAD'} ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      if (round % 2) await once(line.socket, 'data');
      if (round % 4 > 1) line.socket.resetAndDestroy();
      else line.socket.destroy();
    }
    await vi.waitFor(async () => expect(await openFiles(folder)).toBe(0));
  },
);

test.runIf(process.platform === 'linux')('a HEAD returns the size of a file without reading it', async () => {
  const used = await useServer();
  const url = await uploadOf(used, 32 * MIB);
  const before = await bytesRead();
  for (let count = 0; count < 5; count++) {
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(32 * MIB));
  }
  await vi.waitFor(async () => expect(await openFiles(join(used.dataDir, 'uploads'))).toBe(0));
  expect((await bytesRead()) - before).toBeLessThan(32 * MIB);
});
