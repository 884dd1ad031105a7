import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import type { WireUpload } from '../../../src/media-api/wire.ts';
import { type Answer, ApiClient } from '../api-client.ts';
import { picture } from '../test-engine.ts';
import { useServer } from '../use-server.ts';

const HOUR_MS = 3_600_000;

async function finishedJob(api: ApiClient): Promise<{ id: string; url: string }> {
  const { id } = await api.submit(await api.photoSwapBody());
  return { id, url: (await api.ended(id)).output_url ?? '' };
}

test('a link works without a key until it expires, and each GET gives a fresh one', async () => {
  const clock = new FakeClock();
  const { api, server } = await useServer({ clock, linkLifetimeMs: HOUR_MS });
  const anonymous = new ApiClient(server.baseUrl);
  const { id, url } = await finishedJob(api);
  const status = async (link: string): Promise<number> => (await anonymous.get(link)).status;
  expect(await status(url)).toBe(200);
  await clock.advance(HOUR_MS - 1);
  expect(await status(url)).toBe(200);
  await clock.advance(1);
  expect(await status(url)).toBe(404);
  const fresh = (await api.job(id)).output_url ?? '';
  expect(fresh).not.toBe(url);
  expect(await status(fresh)).toBe(200);
});

test('a changed link is refused, whichever part was changed', async () => {
  const { api, server } = await useServer();
  const { url } = await finishedJob(api);
  const other = await finishedJob(api);
  const upload = (await api.upload(await picture(1))).json as WireUpload;
  const link = new URL(url);
  const signature = link.searchParams.get('signature') ?? '';
  const flipped = (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
  const changed = [
    url.replace(signature, flipped),
    url.replace(signature, ''),
    url.replace(signature, signature.slice(0, 32)),
    url.replace(/expires=\d+/, 'expires=99999999999'),
    url.replace(/expires=\d+/, 'expires=-1'),
    url.replace(/expires=\d+/, (same) => `${same}&${same}`),
    url.split('?')[0] ?? '',
    `${other.url.split('?')[0]}${link.search}`,
    `${upload.url.split('?')[0]}${link.search}`,
    `${server.baseUrl}/uploads/${link.pathname.split('/').at(-1)}${link.search}`,
  ];
  const anonymous = new ApiClient(server.baseUrl);
  const refusals = new Set<string>();
  for (const one of changed) {
    const answer: Answer = await anonymous.get(one);
    expect([one, answer.status]).toEqual([one, 404]);
    refusals.add(answer.text);
  }
  expect(refusals.size).toBe(1);
  expect((await anonymous.get(url)).status).toBe(200);
});

test('a link survives a restart on another port when a public address is configured', async () => {
  const first = await useServer({ publicUrl: 'https://media.example.com/' });
  const { url } = await finishedJob(first.api);
  expect(url).toMatch(/^https:\/\/media\.example\.com\/api\/v1\/outputs\/job_/);
  const second = await first.restart();
  const local = url.replace('https://media.example.com', `http://127.0.0.1:${second.server.port}`);
  expect((await second.api.get(local)).status).toBe(200);
});

test('an output past its retention is deleted from the disk, while its job and charge stay', async () => {
  const clock = new FakeClock();
  const { api } = await useServer({ clock, outputRetentionMs: 2 * HOUR_MS });
  const { id } = await finishedJob(api);
  await clock.advance(2 * HOUR_MS + 600_000);
  const job = await api.job(id);
  expect(job).toMatchObject({ status: 'succeeded', charged_usd: 0.04 });
  await vi.waitFor(async () => expect((await api.get(job.output_url ?? '')).status).toBe(404));
});

test('a result is served as a download with its own type', async () => {
  const { api } = await useServer();
  const { url } = await finishedJob(api);
  const head = await fetch(url, { method: 'HEAD' });
  expect(Object.fromEntries(head.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  const body = await (await fetch(url)).arrayBuffer();
  expect(head.headers.get('content-length')).toBe(String(body.byteLength));
});

test.each([
  ['the beginning', 'bytes=0-9', [0, 9]],
  ['the middle', 'bytes=100-149', [100, 149]],
  ['from an offset to the end', 'bytes=500-', [500, 999]],
  ['beyond the end', 'bytes=990-5000', [990, 999]],
  ['the last bytes', 'bytes=-20', [980, 999]],
  ['more last bytes than the file has', 'bytes=-5000', [0, 999]],
])('a part of a download can be requested: %s', async (_name, range, [first = 0, last = 0]) => {
  const { url, bytes } = await useUpload();
  const answer = await fetch(url, { headers: { range } });
  expect(answer.status).toBe(206);
  expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/1000`);
  expect(answer.headers.get('content-length')).toBe(String(last - first + 1));
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes.subarray(first, last + 1));
});

test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])(
  'a part beyond the end (%s) is 416 with the size in it',
  async (range) => {
    const { url } = await useUpload();
    const answer = await fetch(url, { headers: { range } });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */1000');
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_input' } });
  },
);

test.each(['bytes=0-1,5-6', 'bytes=9-3', 'bytes=-', 'bytes=a-b', 'lines=1-2', 'bytes=1e3-'])(
  'a header that is not a single range (%s) gives the whole file',
  async (range) => {
    const { url, bytes } = await useUpload();
    const answer = await fetch(url, { headers: { range } });
    expect([answer.status, answer.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
  },
);

test('a cut download continues with If-Range, and starts again if the file is another one', async () => {
  const { url } = await useUpload();
  const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? '';
  const status = async (ifRange: string): Promise<number> =>
    (await fetch(url, { headers: { range: 'bytes=500-', 'if-range': ifRange } })).status;
  expect(await status(etag)).toBe(206);
  expect(await status('"another"')).toBe(200);
});

/** Uploads a file of 1,000 varying bytes, and returns a link to it. */
async function useUpload(): Promise<{ url: string; bytes: Buffer }> {
  const { api } = await useServer();
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_none, index) => (index * 7) % 251));
  return { url: ((await api.upload(bytes)).json as WireUpload).url, bytes };
}
