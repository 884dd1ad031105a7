import { rm, truncate } from 'node:fs/promises';
import { get } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ResultLinks } from '../../../src/bot/jobs/results/result-links.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { BYTES, linkOf, timesOpen, useResult } from './use-result.ts';
import { useWeb } from './use-web.ts';

describe('a signed link', () => {
  test('returns the whole file with headers that forbid to store or run it', async () => {
    const web = await useWeb();
    const { url } = await useResult(web);

    const answer = await web.app.inject({ url });

    expect(answer.statusCode).toBe(200);
    expect(answer.rawPayload.equals(BYTES)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '1000',
      'content-disposition': 'inline; filename="photo-swap.mp4"',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    const head = await web.app.inject({ method: 'HEAD', url });
    expect(head.statusCode).toBe(200);
    expect(head.headers['content-length']).toBe('1000');
    expect(head.rawPayload).toHaveLength(0);
    expect((await web.app.inject({ method: 'POST', url })).statusCode).toBe(404);
  });

  test.each([
    ['bytes=0-99', 206, 'bytes 0-99/1000', 100],
    ['bytes=990-', 206, 'bytes 990-999/1000', 10],
    ['bytes=-5', 206, 'bytes 995-999/1000', 5],
    ['bytes=1000-', 416, 'bytes */1000', 0],
    ['bytes=0-1,5-6', 200, undefined, 1_000],
    ['pages=1-2', 200, undefined, 1_000],
  ])('answers the range %s with %i', async (range, status, contentRange, length) => {
    const web = await useWeb();
    const { url } = await useResult(web);

    const answer = await web.app.inject({ url, headers: { range } });

    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-range']).toBe(contentRange);
    expect(answer.rawPayload).toHaveLength(length);
  });

  test('sends a part only if the file is still the same', async () => {
    const web = await useWeb();
    const { url } = await useResult(web);
    const { etag } = (await web.app.inject({ method: 'HEAD', url })).headers;
    const part = (ifRange: string): Promise<{ statusCode: number }> =>
      web.app.inject({ url, headers: { range: 'bytes=0-0', 'if-range': ifRange } });

    expect((await part(String(etag))).statusCode).toBe(206);
    expect((await part('"other"')).statusCode).toBe(200);
  });

  test('with any error leads nowhere, and reveals nothing', async () => {
    const web = await useWeb();
    const { url } = await useResult(web);
    const [, , jobId = '', expires = '', signature = '', name = ''] = url.split('/');
    const flipped = `${signature.startsWith('0') ? '1' : '0'}${signature.slice(1)}`;
    const wrong = [
      [jobId, expires, flipped, name],
      [jobId, String(Number(expires) + 1), signature, name],
      ['job_known', expires, signature, name],
      [jobId, expires, signature.slice(1), name],
      [jobId, expires, signature.toUpperCase(), name],
      ['..%2f..%2fetc', expires, signature, 'passwd'],
      [jobId, `${expires}e3`, signature, name],
    ].map((parts) => `/results/${parts.join('/')}`);

    const answers = await Promise.all(wrong.map((address) => web.app.inject({ url: address })));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(wrong.map(() => 404));
    expect(new Set(answers.map(({ payload }) => payload)).size).toBe(1);
    expect((await web.app.inject({ url })).statusCode).toBe(200);
  });

  test('answers politely after it has expired, and a new one works', async () => {
    const web = await useWeb();
    const { url } = await useResult(web);
    await web.clock.advance(3_700_000);

    const answer = await web.app.inject({ url });

    expect(answer.statusCode).toBe(410);
    expect(answer.payload).toContain('This link has expired');
    expect(answer.payload).toContain('/jobs show');
    expect((await web.app.inject({ url: await linkOf(web) })).statusCode).toBe(200);
  });

  test('leads nowhere after the result was withdrawn or deleted', async () => {
    const web = await useWeb();
    const { url, path } = await useResult(web);
    const set = (taken: 'deleted' | null): Promise<unknown> =>
      web.db.kysely.updateTable('jobs').set({ taken_back: taken }).where('id', '=', 'job_a').execute();

    await set('deleted');
    expect((await web.app.inject({ url })).statusCode).toBe(404);
    await set(null);
    await rm(path);
    expect((await web.app.inject({ url })).statusCode).toBe(404);
  });

  test('is valid for every process of the same database, and for no other', async () => {
    const web = await useWeb();
    const { url } = await useResult(web);
    const [, , jobId = '', expires = '', signature = ''] = url.split('/');
    const options = { clock: web.clock, publicUrl: (path: string) => path, lifeMs: 1 };
    const twin = await ResultLinks.open({ ...options, db: web.db });
    const stranger = await ResultLinks.open({ ...options, db: (await useWeb()).db });

    expect(await twin.resolve({ jobId, expires, signature })).toMatchObject({ kind: 'file' });
    expect(await stranger.resolve({ jobId, expires, signature })).toEqual({ kind: 'unknown' });
  });

  test('never displays a file in a browser that is not a picture, clip or sound', async () => {
    const web = await useWeb();
    const { url } = await useResult(web, 'text/html');

    expect((await web.app.inject({ url })).headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="photo-swap.mp4"',
    });
  });

  test('that is aborted by its client blocks no later request, and keeps no file open', async () => {
    const lines: string[] = [];
    const web = await useWeb({ log: recordingLogger(lines) });
    const { url, path } = await useResult(web);
    await web.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = web.app.server.address() as AddressInfo;
    const arrived: Promise<unknown>[] = [];
    // The requests arrive and are aborted while the database is blocked.
    await web.db.transaction('guild:guild', async () => {
      const sockets = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1' }));
      web.app.server.on('request', (request) => arrived.push(once(request.socket, 'close')));
      for (const socket of sockets) socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`);
      await expect.poll(() => arrived.length).toBe(8);
      for (const socket of sockets) socket.destroy();
      await Promise.all(arrived);
    });

    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}${url}`)).status).toBe(200);
    await expect.poll(() => timesOpen(path)).toBe(0);
    expect(lines).toEqual([]);
  });

  test('is loaded by eight clients at once, and by the next one when one is done', async () => {
    const web = await useWeb();
    const { url, path } = await useResult(web);
    await truncate(path, 64 * 2 ** 20);
    await web.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = web.app.server.address() as AddressInfo;
    const load = async (): Promise<{ status: number | undefined; end: () => void }> => {
      const request = get({ port, host: '127.0.0.1', path: url, agent: false });
      const [response] = await once(request, 'response');
      response.pause();
      return { status: response.statusCode, end: () => response.destroy() };
    };
    const slow = await Promise.all(Array.from({ length: 8 }, load));

    expect(slow.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    const ninth = await load();
    expect(ninth.status).toBe(503);
    ninth.end();
    slow[0]?.end();
    await expect
      .poll(async () => {
        const next = await load();
        next.end();
        return next.status;
      })
      .toBe(200);
    for (const { end } of slow) end();
  });
});
