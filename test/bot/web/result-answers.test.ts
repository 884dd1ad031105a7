import { once } from 'node:events';
import { rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { type IncomingMessage, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { BYTES, linkOf, timesOpen, useResult } from './use-result.ts';
import { type Web, useWeb } from './use-web.ts';

const HOUR_MS = 3_600_000;

interface Place {
  readonly web: Web;
  readonly url: string;
  readonly path: string;
}

interface Asked {
  readonly status: number;
  /** Sets up the case, and returns the URL and headers of the request. */
  readonly ask: (
    place: Place,
  ) => Promise<{ readonly url: string; readonly headers?: Record<string, string> }>;
}

/** Every kind of answer that a request can get. */
const ANSWERS: Readonly<Record<string, Asked>> = {
  'the whole file': { status: 200, ask: async ({ url }) => ({ url }) },
  'a part of it': { status: 206, ask: async ({ url }) => ({ url, headers: { range: 'bytes=1-2' } }) },
  'an empty file': {
    status: 200,
    ask: async ({ url, path }) => {
      await truncate(path, 0);
      return { url };
    },
  },
  'a part beyond its end': {
    status: 416,
    ask: async ({ url }) => ({ url, headers: { range: 'bytes=5000-' } }),
  },
  'a wrong signature': {
    status: 404,
    ask: async ({ url }) => ({ url: url.replace(/[0-9a-f]{64}/, '0'.repeat(64)) }),
  },
  'a missing file': {
    status: 404,
    ask: async ({ url, path }) => {
      await rm(path);
      return { url };
    },
  },
  // A symbolic link to itself cannot be opened by any user. It stands for a file without read permission, and
  // for one that is opened when too many files are open.
  'a file that cannot be opened': {
    status: 500,
    ask: async ({ url, path }) => {
      await rm(path);
      await symlink(path, path);
      return { url };
    },
  },
  'an expired link': {
    status: 410,
    ask: async ({ web, url }) => {
      await web.clock.advance(HOUR_MS + 60_000);
      return { url };
    },
  },
  'a database that does not answer': {
    status: 500,
    ask: async ({ web, url }) => {
      await web.db[Symbol.asyncDispose]();
      return { url };
    },
  },
};

/** Headers that every answer must have, to protect members. */
const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, noarchive',
  'cache-control': 'private, no-store',
};

test.each(Object.entries(ANSWERS))(
  'answers %s in the same way to GET and HEAD, safely, and keeps no file open',
  async (_what, { status, ask }) => {
    const web = await useWeb();
    const place = { web, ...(await useResult(web)) };
    const { url, headers = {} } = await ask(place);

    const answer = await web.app.inject({ url, headers });
    const head = await web.app.inject({ method: 'HEAD', url, headers });

    expect([answer.statusCode, head.statusCode]).toEqual([status, status]);
    expect(head.rawPayload).toHaveLength(0);
    expect(answer.headers).toMatchObject(SAFE);
    expect(await timesOpen(place.path)).toBe(0);
    expect(ownHeaders(head)).toEqual(ownHeaders(answer));
  },
);

function ownHeaders({ headers }: LightMyRequestResponse): object {
  const { date: _date, connection: _connection, 'content-length': _length, ...own } = headers;
  return own;
}

test('keeps the file open only for clients that still read', async () => {
  const web = await useWeb();
  const { url, path } = await useResult(web);
  await truncate(path, 64 * 2 ** 20);
  await web.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = web.app.server.address() as AddressInfo;
  const load = async (): Promise<IncomingMessage> => {
    const request = get({ port, host: '127.0.0.1', path: url, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.on('error', () => undefined).pause();
  };

  const slow = await Promise.all(Array.from({ length: 8 }, load));
  const refused = await load();
  refused.resume();

  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
  expect(refused.headers).toMatchObject(SAFE);
  expect(await timesOpen(path)).toBe(8);
  for (const response of slow) response.destroy();
  await expect.poll(() => timesOpen(path)).toBe(0);
});

/** Kinds of files, and whether a browser may display them. */
const KINDS: readonly (readonly [mime: string | null, isShown: boolean])[] = [
  ['image/jpeg', true],
  ['image/png', true],
  ['image/webp', true],
  ['image/gif', true],
  ['image/apng', true],
  ['video/mp4', true],
  ['video/webm', true],
  ['video/quicktime', true],
  ['audio/mpeg', true],
  ['audio/x-wav', true],
  ['image/svg+xml', false],
  ['image/tiff', false],
  ['image/heic', false],
  ['image/pngx', false],
  ['ximage/png', false],
  ['image/png;x', false],
  ['image/png\ntext/html', false],
  ['text/html', false],
  ['text/plain', false],
  ['text/xml', false],
  ['application/pdf', false],
  ['application/xhtml+xml', false],
  ['application/octet-stream', false],
  ['video/x-matroska', false],
  ['audio/', false],
  ['audio/x+y', false],
  ['', false],
  [null, false],
];

test('lets browsers display pictures, clips and sounds, and download everything else', async () => {
  const web = await useWeb();
  const { url } = await useResult(web);
  for (const [mime, isShown] of KINDS) {
    await web.db.kysely.updateTable('jobs').set({ result_mime: mime }).where('id', '=', 'job_a').execute();

    const { headers, statusCode } = await web.app.inject({ url });

    expect([mime, statusCode, headers['content-type'], headers['content-disposition']]).toEqual([
      mime,
      200,
      isShown ? mime : 'application/octet-stream',
      `${isShown ? 'inline' : 'attachment'}; filename="photo-swap.mp4"`,
    ]);
  }
});

/** Ranges, and the first and last byte that each one selects in a ten-byte file; null if there is nothing to send. */
const RANGES: readonly (readonly [range: string, part: readonly [number, number] | 'whole' | null])[] = [
  ['bytes=0-0', [0, 0]],
  ['bytes=0-8', [0, 8]],
  ['bytes=0-9', [0, 9]],
  ['bytes=0-10', [0, 9]],
  ['bytes=3-3', [3, 3]],
  ['bytes=3-2', 'whole'],
  ['bytes=9-', [9, 9]],
  ['bytes=9-9', [9, 9]],
  ['bytes=10-', null],
  ['bytes=10-20', null],
  ['bytes=-1', [9, 9]],
  ['bytes=-9', [1, 9]],
  ['bytes=-10', [0, 9]],
  ['bytes=-11', [0, 9]],
  ['bytes=-0', null],
  ['bytes=-', 'whole'],
  ['bytes=1-2,4-5', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes 1-2', 'whole'],
  ['xbytes=1-2', 'whole'],
  ['bytes=1-2x', 'whole'],
  ['bytes=999999999999999-', null],
  ['bytes=0-999999999999999', [0, 9]],
];

test('sends exactly the requested bytes of a range', async () => {
  const web = await useWeb();
  const { url, path } = await useResult(web);
  const ten = BYTES.subarray(40, 50);
  await writeFile(path, ten);

  for (const [range, part] of RANGES) {
    const { statusCode, headers, rawPayload } = await web.app.inject({ url, headers: { range } });
    const [from, to] = part === 'whole' || part === null ? [0, part === null ? -1 : 9] : part;
    expect({ range, statusCode, bytes: [...rawPayload] }).toEqual({
      range,
      statusCode: part === null ? 416 : part === 'whole' ? 200 : 206,
      bytes: [...ten.subarray(from, to + 1)],
    });
    const told = part === null ? '*' : part === 'whole' ? undefined : `${from}-${to}`;
    expect([range, headers['content-range']]).toEqual([range, told && `bytes ${told}/10`]);
    if (part !== null) expect([range, headers['content-length']]).toEqual([range, String(to - from + 1)]);
  }
});

test('gives another version of a file another tag, and sends no part of it for the previous tag', async () => {
  const web = await useWeb();
  const { url, path } = await useResult(web);
  const tag = async (): Promise<string> =>
    String((await web.app.inject({ method: 'HEAD', url })).headers.etag);
  await utimes(path, 1, 1);
  const first = await tag();
  expect(await tag()).toBe(first);
  expect(first).toMatch(/^"[\w-]+"$/);

  await utimes(path, 1, 2);
  const later = await tag();
  await truncate(path, 999);
  await utimes(path, 1, 2);
  const shorter = await tag();

  expect(new Set([first, later, shorter]).size).toBe(3);
  const part = async (ifRange: string): Promise<number> => {
    const headers = { range: 'bytes=0-0', 'if-range': ifRange };
    return (await web.app.inject({ url, headers })).statusCode;
  };
  expect([await part(first), await part(later), await part(shorter), await part('')]).toEqual([
    200, 200, 206, 200,
  ]);
});

test('is valid until its last minute, and expired from then on', async () => {
  const web = await useWeb();
  const { url } = await useResult(web);
  const untilMs = Number(url.split('/')[3]) * 1_000;
  await web.clock.advance(untilMs - web.clock.now() - 1);
  expect((await web.app.inject({ url })).statusCode).toBe(200);

  await web.clock.advance(1);
  const expired = await web.app.inject({ url });

  expect([expired.statusCode, expired.headers['content-type']]).toEqual([410, 'text/html; charset=utf-8']);
  expect((await web.app.inject({ url: await linkOf(web) })).statusCode).toBe(200);
});

test.each(Object.entries(ANSWERS).filter(([, { status }]) => status === 500))(
  'logs that there is %s without the link, and hides it from the caller',
  async (_what, { ask }) => {
    const lines: string[] = [];
    const web = await useWeb({ log: recordingLogger(lines) });
    const { url } = await ask({ web, ...(await useResult(web)) });

    const answer = await web.app.inject({ url });

    expect(answer.json()).toEqual({ error: { code: 'unavailable' } });
    expect(lines).toEqual([expect.stringContaining('Cannot send a result')]);
    expect(lines.join()).not.toContain(url.split('/')[4] ?? '');
  },
);
