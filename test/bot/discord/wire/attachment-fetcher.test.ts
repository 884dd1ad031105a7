import { readFile, readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { AttachmentError } from '../../../../src/bot/discord/wire/attachment-error.ts';
import { AttachmentFetcher } from '../../../../src/bot/discord/wire/attachment-fetcher.ts';
import { useCdn, useFetcher } from '../use-cdn.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const BYTES = Buffer.from('a small picture, as far as anybody knows');

describe('AttachmentFetcher', () => {
  test('stores the whole file and no other file', async () => {
    const cdn = await useCdn((_request, response) => response.end(BYTES));
    const folder = await useFolder();

    await cdn.fetch(`${folder}/in.png`);

    expect(await readFile(`${folder}/in.png`)).toEqual(BYTES);
    expect(await readdir(folder)).toEqual(['in.png']);
  });

  test('accepts a file of exactly the largest size', async () => {
    const cdn = await useCdn((_request, response) => response.end(BYTES));

    const path = `${await useFolder()}/in`;

    await cdn.fetch(path, BYTES.length);

    expect(await readFile(path)).toEqual(BYTES);
  });

  test.each<[string, (response: ServerResponse) => unknown, object]>([
    [
      'announced as too large',
      (r) => r.end(Buffer.alloc(101)),
      { code: 'too_large', problem: { kind: 'too_large', sizeBytes: 101, sizeBytesMax: 100 } },
    ],
    ['too large without an announced size', streamForever, { code: 'too_large' }],
    ['empty', (r) => r.end(), { code: 'empty', problem: { kind: 'empty' } }],
    ['gone', (r) => r.writeHead(404).end(), { code: 'unavailable', retryable: false }],
    [
      'redirected',
      (r) => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      { code: 'unavailable', retryable: false },
    ],
    ['cut off', cutOff, { code: 'unavailable', retryable: true }],
  ])('rejects a file that is %s, and leaves no file behind', async (_what, answer, expected) => {
    const cdn = await useCdn((_request, response) => void answer(response));
    const folder = await useFolder();

    const error = await cdn.fetch(`${folder}/in`, 100).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(AttachmentError);
    expect(error).toMatchObject(expected);
    expect(await readdir(folder)).toEqual([]);
  });

  test('does not follow a redirect', async () => {
    const other = await useCdn((_request, response) => response.end(BYTES));
    const cdn = await useCdn((_request, response) => response.writeHead(302, { location: other.url }).end());

    await expect(cdn.fetch(`${await useFolder()}/in`)).rejects.toThrow('answered 302');

    expect(other.requests()).toBe(0);
  });

  test('gives up on a silent host at the deadline, and leaves no file behind', async () => {
    const cdn = await useCdn((_request, response) => void response.write('x'), { deadlineMs: 150 });
    const folder = await useFolder();

    await expect(cdn.fetch(`${folder}/in`)).rejects.toMatchObject({ code: 'unavailable', retryable: true });

    expect(await readdir(folder)).toEqual([]);
  });

  test('stops with the given reason when its signal aborts', async () => {
    const cdn = await useCdn((_request, response) => void response.write('x'));
    const folder = await useFolder();
    const stop = new AbortController();
    cdn.onRequest(() => stop.abort(new Error('Shutting down')));

    await expect(cdn.fetch(`${folder}/in`, 100, stop.signal)).rejects.toThrow('Shutting down');

    expect(await readdir(folder)).toEqual([]);
  });

  test('retries by itself after an error of the host', async () => {
    const cdn = await useCdn((count, response) =>
      count === 1 ? response.writeHead(503).end() : response.end(BYTES),
    );

    const path = `${await useFolder()}/in`;

    await cdn.fetch(path);

    expect(await readFile(path)).toEqual(BYTES);
    expect(cdn.requests()).toBe(2);
  });

  test.each([
    'https://cdn.discordapp.com.evil.example/a.png',
    'https://evil.example/cdn.discordapp.com',
    'https://cdn.discordapp.com@evil.example/a.png',
    'https://user:pass@cdn.discordapp.com/a.png',
    'https://cdn.discordapp.com:8443/a.png',
    'https://cdn.discordapp.com./a.png',
    'http://cdn.discordapp.com/a.png',
    'http://127.0.0.1:4200/a.png',
    'http://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/a.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'not a link',
  ])('sends no request for %s with the production hosts', async (url) => {
    const fetcher = useFetcher(new AttachmentFetcher({ clock: systemClock }));
    const request = { url, toPath: `${await useFolder()}/in`, sizeBytesMax: 100 };

    const error = await fetcher
      .fetch(request, new AbortController().signal)
      .catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'unavailable', retryable: false });
    expect(String(error)).toMatch(/host is not allowed|not HTTPS/);
  });

  test('rejects the sandbox host unless it was configured with its port', async () => {
    const cdn = await useCdn((_request, response) => response.end(BYTES));
    const fetcher = useFetcher(new AttachmentFetcher({ clock: systemClock, hosts: ['127.0.0.1'] }));
    const request = { url: cdn.url, toPath: `${await useFolder()}/in`, sizeBytesMax: 100 };

    await expect(fetcher.fetch(request, new AbortController().signal)).rejects.toThrow('host is not allowed');

    expect(cdn.requests()).toBe(0);
  });

  test('omits the link from every error', async () => {
    const cdn = await useCdn((_request, response) => cutOff(response));

    const error = await cdn.fetch(`${await useFolder()}/in`).catch((thrown: unknown) => thrown);

    expect(JSON.stringify([String(error), (error as Error).stack, error])).not.toContain('hm=');
  });
});

function streamForever(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(1_000)));
  };
  response.on('drain', more);
  more();
}

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 50 });
  response.write('x', () => response.destroy());
}
