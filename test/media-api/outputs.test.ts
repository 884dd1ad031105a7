import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DownloadError } from '../../src/media-api/download-error.ts';
import { MediaApi } from '../../src/media-api/media-api.ts';
import { type Reply, drop, text, useClient, useStubApi } from './use-stub-api.ts';
import { useFolder } from '../helpers/use-folder.ts';

const CONTENT = 'The bytes of a result';

async function failure(call: Promise<unknown>): Promise<DownloadError> {
  const error: unknown = await call.then(
    () => new Error('The download succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof DownloadError) return error;
  throw error;
}

test('a result is stored whole, with its size and hash, and the key is not sent', async () => {
  const folder = await useFolder();
  const stub = await useStubApi(text(200, CONTENT));
  const toPath = join(folder, 'result.jpg');
  await writeFile(toPath, 'an older file');
  const done = await useClient(stub).outputs.download(`${stub.origin}/o/1?sig=x`, { toPath, maxBytes: 100 });
  expect(done).toEqual({
    path: toPath,
    sizeBytes: CONTENT.length,
    sha256: createHash('sha256').update(CONTENT).digest('hex'),
  });
  expect(await readFile(toPath, 'utf8')).toBe(CONTENT);
  expect(await readdir(folder)).toEqual(['result.jpg']);
  expect(stub.received[0]?.url).toBe('/o/1?sig=x');
  expect(stub.received[0]?.headers).not.toHaveProperty('authorization');
});

test('a host-relative link is resolved against the API’s origin', async () => {
  const stub = await useStubApi(text(200, CONTENT));
  const toPath = join(await useFolder(), 'result');
  await useClient(stub).outputs.download('/o/2', { toPath, maxBytes: 100 });
  expect(stub.received[0]?.url).toBe('/o/2');
});

test.each([403, 404, 410])(
  'a link that answers %i has expired, and the job must be asked for another',
  async (status) => {
    const stub = await useStubApi(text(status, 'gone'));
    const toPath = join(await useFolder(), 'result');
    const error = await failure(useClient(stub).outputs.download('/o', { toPath, maxBytes: 100 }));
    expect(error).toMatchObject({ code: 'link_expired', status });
    expect(stub.arrivals()).toBe(1);
  },
);

const endless: Reply = (_request, response) => {
  const more = (): void =>
    void (response.destroyed || response.write(Buffer.alloc(16_384), () => setImmediate(more)));
  response.writeHead(200);
  more();
};

test.each([
  ['a redirect', text(302, '', { location: 'http://127.0.0.1:9/' }), 'redirected', 1],
  ['another status', text(400, 'no'), 'bad_status', 1],
  ['too many announced bytes', text(200, 'x'.repeat(101)), 'too_large', 1],
  ['bytes without end', endless, 'too_large', 1],
  ['nothing', text(200, ''), 'empty', 1],
  ['a fault', text(503, 'busy'), 'bad_status', 3],
  ['a dropped connection', drop, 'connection_failed', 3],
] as const)('%s leaves no file', async (_name, reply, code, arrivals) => {
  const folder = await useFolder();
  const stub = await useStubApi(reply);
  const options = { toPath: join(folder, 'result'), maxBytes: 100 };
  expect(await failure(useClient(stub).outputs.download('/o', options))).toMatchObject({ code });
  expect(stub.arrivals()).toBe(arrivals);
  expect(await readdir(folder)).toEqual([]);
});

const cutShort: Reply = (_request, response) => {
  response.writeHead(200, { 'content-length': '21' }).write('The bytes', () => response.destroy());
};

test('a download that is cut off starts over', async () => {
  const stub = await useStubApi(cutShort, cutShort, text(200, CONTENT));
  const toPath = join(await useFolder(), 'result');
  await useClient(stub).outputs.download('/o', { toPath, maxBytes: 100 });
  expect(await readFile(toPath, 'utf8')).toBe(CONTENT);
});

test('a download that is always cut off, or stalls, is given up', async () => {
  const folder = await useFolder();
  const stub = await useStubApi(cutShort);
  const options = { toPath: join(folder, 'result'), maxBytes: 100 };
  expect(await failure(useClient(stub).outputs.download('/o', options))).toMatchObject({ code: 'cut_short' });
  stub.script((_request, response) => void response.writeHead(200).write('T'));
  const impatient = useClient(stub, { limits: { downloadStallMs: 80 } });
  expect(await failure(impatient.outputs.download('/o', options))).toMatchObject({ code: 'timed_out' });
  expect(await readdir(folder)).toEqual([]);
});

test('an aborted download ends as aborted and leaves no file', async () => {
  const folder = await useFolder();
  const controller = new AbortController();
  const stub = await useStubApi((_request, response) => {
    response.writeHead(200).write('T');
    setImmediate(() => controller.abort(new Error('Shutting down')));
  });
  const options = { toPath: join(folder, 'result'), maxBytes: 100, signal: controller.signal };
  expect(await failure(useClient(stub).outputs.download('/o', options))).toMatchObject({ code: 'aborted' });
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['https://10.0.0.1/o'],
  ['https://192.168.1.1/o'],
  ['https://172.16.0.1/o'],
  ['https://169.254.169.254/latest/meta-data'],
  ['https://127.0.0.1/o'],
  ['https://2130706433/o'],
  ['https://0x7f.1/o'],
  ['https://0.0.0.0/o'],
  ['https://100.64.0.1/o'],
  ['https://[::1]/o'],
  ['https://[::ffff:127.0.0.1]/o'],
  ['https://[::ffff:a00:1]/o'],
  ['https://[fd00::1]/o'],
  ['https://[fe80::1]/o'],
  ['https://[2002:7f00:1::]/o'],
  ['https://localhost/o'],
  ['http://8.8.8.8/o'],
  ['ftp://8.8.8.8/o'],
  ['file:///etc/passwd'],
  ['https://user:pw@8.8.8.8/o'],
  ['https://'],
])('the link %s of a remote API is rejected before anything is sent', async (link) => {
  const api = new MediaApi({ baseUrl: 'https://api.example/api/v1', apiKey: 'k' });
  onTestFinished(() => api[Symbol.asyncDispose]());
  const options = { toPath: '/nowhere/result', maxBytes: 100 };
  expect(await failure(api.outputs.download(link, options))).toMatchObject({ code: 'link_refused' });
});

test('a base URL on loopback may have its results on another loopback port', async () => {
  const stub = await useStubApi();
  const files = await useStubApi(text(200, CONTENT));
  const toPath = join(await useFolder(), 'result');
  await useClient(stub).outputs.download(`${files.origin}/o`, { toPath, maxBytes: 100 });
  expect(await readFile(toPath, 'utf8')).toBe(CONTENT);
});

test('a disk that cannot be written to is reported as such, after one attempt', async () => {
  const stub = await useStubApi(text(200, CONTENT));
  const call = useClient(stub).outputs.download('/o', { toPath: '/nowhere/result', maxBytes: 100 });
  await expect(call).rejects.toMatchObject({ code: 'ENOENT' });
  expect(stub.arrivals()).toBe(1);
});

test('a name that is taken by a folder is reported as such, and leaves no partial file', async () => {
  const stub = await useStubApi(text(200, 'x'.repeat(2_000_000)));
  const folder = await useFolder();
  const toPath = join(folder, 'result');
  await mkdir(join(toPath, 'inside'), { recursive: true });
  const call = useClient(stub).outputs.download('/o', { toPath, maxBytes: 5_000_000 });
  await expect(call).rejects.toMatchObject({ syscall: 'rename' });
  expect(await readdir(folder)).toEqual(['result']);
  expect(stub.arrivals()).toBe(1);
});
