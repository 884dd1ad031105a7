import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { WireUpload } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../api-client.ts';
import { startUpload } from './slow-upload.ts';
import { picture } from '../test-engine.ts';
import { useDatabase } from '../use-database.ts';
import { type UsedServer, useServer } from '../use-server.ts';

const MIB = 2 ** 20;

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string;
}

async function postParts(api: ApiClient, parts: readonly Part[]): Promise<[number, string | undefined]> {
  const body = parts
    .map(({ name, filename, type, content }) =>
      [
        '--B',
        `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        '',
        content,
      ].join('\r\n'),
    )
    .concat('--B--\r\n')
    .join('\r\n');
  const headers = { 'content-type': 'multipart/form-data; boundary=B' };
  const answer = await api.request('/uploads', { method: 'POST', body, headers });
  return [answer.status, (answer.json as { error?: { code: string } }).error?.code];
}

async function storedFiles(dataDir: string): Promise<string[]> {
  const folders = await Promise.all(['uploads', 'parts'].map((name) => readdir(join(dataDir, name))));
  return folders.flat();
}

test('an upload is answered with a key and a link that returns exactly its bytes, with safe headers', async () => {
  const { api } = await useServer();
  const page = Buffer.from('<script>alert(1)</script>');
  const { file_key, url } = (await api.upload(page, 'image/png', 'a.png')).json as WireUpload;
  expect(file_key).toMatch(/^api\/up_[a-z2-7]{32}$/);
  const answer = await fetch(url);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(page);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment',
  });
});

test.each([
  ['image/jpeg', 'a.bin', 200],
  ['IMAGE/PNG; charset=binary', 'a.txt', 200],
  ['video/mp4', undefined, 200],
  ['audio/wav', 'a.wav', 200],
  [undefined, 'a.JPEG', 200],
  [undefined, 'clip.mov', 200],
  [undefined, 'voice.m4a', 200],
  [undefined, 'a.txt', 400],
  [undefined, 'noextension', 400],
  [undefined, undefined, 400],
  ['text/plain', 'a.png', 400],
  ['application/octet-stream', 'a.png', 400],
  ['image/svg+xml', 'a.svg', 400],
  ['image/', 'a.png', 400],
])('type %s and name %s give %i', async (type, filename, status) => {
  const { api, dataDir } = await useServer();
  const part = { name: 'file', content: 'bytes', ...(type && { type }), ...(filename && { filename }) };
  expect(await postParts(api, [part])).toEqual([status, status === 200 ? undefined : 'unsupported_format']);
  expect(await storedFiles(dataDir)).toHaveLength(status === 200 ? 1 : 0);
});

const file = { name: 'file', filename: 'a.png', type: 'image/png', content: 'bytes' };

test.each([
  ['no parts', []],
  ['another name', [{ ...file, name: 'upload' }]],
  ['only a field', [{ name: 'comment', content: 'hello' }]],
  ['two files', [file, file]],
  ['a second file elsewhere', [file, { ...file, name: 'other' }]],
  ['an empty file', [{ ...file, content: '' }]],
  ['too many parts', Array.from({ length: 40 }, () => ({ name: 'f', content: 'x' }))],
])('%s is invalid_input and leaves no file', async (_name, parts) => {
  const { api, dataDir } = await useServer();
  expect(await postParts(api, parts)).toEqual([400, 'invalid_input']);
  expect(await storedFiles(dataDir)).toEqual([]);
});

test('other fields beside the file are ignored', async () => {
  const { api } = await useServer();
  expect(await postParts(api, [{ name: 'a', content: '1' }, file, { name: 'b', content: '2' }])).toEqual([
    200,
    undefined,
  ]);
});

test.each([
  ['image/png', 45 * MIB],
  ['audio/wav', 45 * MIB],
])('%s over 45 MB is refused while it is still being sent, and leaves no file', async (type, limit) => {
  const { server, dataDir } = await useServer();
  const sender = startUpload(server.baseUrl, server.apiKey, type);
  await sender.send(limit);
  expect(sender.answered()).toBe(false);
  await sender.send(MIB);
  expect(await sender.answer).toEqual([400, 'input_too_large']);
  expect(sender.request.writableEnded).toBe(false);
  expect(await storedFiles(dataDir)).toEqual([]);
  sender.request.destroy();
});

test('video has its own, larger limit', async () => {
  const { api } = await useServer({ imageBytesMax: 1_000, videoBytesMax: 2_000 });
  const upload = async (type: string, size: number): Promise<number> =>
    (await api.upload(Buffer.alloc(size, 1), type)).status;
  expect(await upload('image/png', 1_000)).toBe(200);
  expect(await upload('image/png', 1_001)).toBe(400);
  expect(await upload('video/mp4', 2_000)).toBe(200);
  expect(await upload('video/mp4', 2_001)).toBe(400);
});

test('an upload that is cut off half-way leaves no file', async () => {
  const { server, dataDir } = await useServer();
  const database = useDatabase(dataDir);
  const sender = startUpload(server.baseUrl, server.apiKey, 'image/png');
  sender.answer.catch(() => undefined);
  await sender.send(MIB);
  await vi.waitFor(async () => expect(await storedFiles(dataDir)).toHaveLength(1));
  sender.request.destroy();
  await vi.waitFor(async () => expect(await storedFiles(dataDir)).toEqual([]));
  expect(database.count('uploads')).toBe(0);
});

test('a body without its closing boundary is invalid_input', async () => {
  const { api, dataDir } = await useServer();
  const answer = await api.request('/uploads', {
    method: 'POST',
    body: '--B\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nbytes',
    headers: { 'content-type': 'multipart/form-data; boundary=B' },
  });
  expect([answer.status, answer.json]).toEqual([
    400,
    { error: { code: 'invalid_input', message: expect.any(String) } },
  ]);
  expect(await storedFiles(dataDir)).toEqual([]);
});

test('endless filler before the file is cut off', async () => {
  const { server } = await useServer();
  const sender = startUpload(server.baseUrl, server.apiKey, 'image/png', 'filler without boundary');
  await sender.send(3 * MIB);
  expect(await sender.answer).toEqual([400, 'invalid_input']);
  sender.request.destroy();
});

test("one account cannot use or probe another account's file", async () => {
  const { api, server } = await useServer();
  const { text } = server.admin.createKey({ name: 'B', accountId: server.admin.createAccount('B') });
  const theirs = await new ApiClient(server.baseUrl, text).uploadPicture();
  const body = await api.photoSwapBody();
  const foreign = await api.post('/face-swap-image', { ...body, face_key: theirs });
  const missing = await api.post('/face-swap-image', { ...body, face_key: 'api/up_missing' });
  expect(foreign.status).toBe(400);
  expect(foreign.text).toBe(missing.text);
});

test('the uploads of an account have a limit in sum', async () => {
  const { api } = await useServer({ accountBytesMax: 1_500 });
  const upload = async (): Promise<unknown> => (await api.upload(Buffer.alloc(1_000, 1))).json;
  expect(await upload()).toMatchObject({ file_key: expect.any(String) });
  expect(await upload()).toMatchObject({ file_key: expect.any(String) });
  expect(await upload()).toMatchObject({ error: { code: 'at_capacity' } });
});

test('ten simultaneous pictures all arrive', async () => {
  const { api, dataDir }: UsedServer = await useServer();
  const bytes = await picture(9, 256);
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.upload(bytes)));
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(await storedFiles(dataDir)).toHaveLength(10);
});
