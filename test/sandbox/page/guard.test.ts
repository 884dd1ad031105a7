import { request } from 'node:http';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { useSandbox } from '../../use-sandbox.ts';
import { usePage } from './use-page.ts';

/** The status of a request with exactly these headers: `fetch` would not let `Host` and `Origin` be chosen. */
function status(sandbox: Sandbox, headers: Record<string, string>, method = 'GET', path = '/control/guilds') {
  return new Promise<number>((resolve, reject) => {
    const { hostname, port } = new URL(sandbox.controlUrl);
    request({ hostname, port, path, method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test('programs may ask, browsers only from the page itself, and nobody by a foreign name', async () => {
  const sandbox = await useSandbox();
  const page = await usePage(sandbox);
  const { host, port, origin } = new URL(sandbox.chatUrl);
  const { cookie } = page;
  const foreign = `http://127.0.0.1:${Number(port) + 1}`;
  const asked: [number, Record<string, string>][] = [
    [200, { host }],
    [200, { host: `localhost:${port}` }],
    [200, { host, origin, cookie }],
    [200, { host, origin, cookie, 'sec-fetch-site': 'same-origin' }],
    [403, { host, origin }],
    [403, { host, origin, cookie: `${cookie}x` }],
    [403, { host, origin: foreign, cookie }],
    [403, { host, origin: 'null', cookie }],
    [403, { host, cookie, 'sec-fetch-site': 'same-site' }],
    [403, { host, cookie, 'sec-fetch-site': 'cross-site' }],
    [403, { host: `evil.example:${port}` }],
    [403, { host: `127.0.0.1.evil.example:${port}`, origin, cookie }],
    [403, { host: '127.0.0.1:1' }],
  ];
  const found = await Promise.all(asked.map(([, headers]) => status(sandbox, headers)));
  expect(found).toEqual(asked.map(([expected]) => expected));
  expect(await status(sandbox, { host, origin: foreign, cookie }, 'POST', '/control/faults')).toBe(403);
});

test('the socket opens for the page alone', async () => {
  const sandbox = await useSandbox();
  const { headers } = await usePage(sandbox);
  const url = `${sandbox.controlUrl.replace('http', 'ws')}/live`;
  const opens = (given: Record<string, string>): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, { headers: given });
      socket.on('open', () => resolve(true)).on('error', () => resolve(false));
      socket.on('open', () => socket.terminate());
    });
  expect(await opens(headers)).toBe(true);
  expect(await opens({})).toBe(false);
  expect(await opens({ ...headers, origin: 'http://evil.example' })).toBe(false);
  expect(await opens({ origin: headers['origin'] ?? '' })).toBe(false);
});

test('the page comes with a policy, under one name, and nothing else of the disk', async () => {
  const sandbox = await useSandbox();
  const { host, port } = new URL(sandbox.chatUrl);
  const answer = await fetch(sandbox.chatUrl);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/);
  const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await answer.text()) ?? [];
  expect((await fetch(new URL(script, sandbox.chatUrl))).status).toBe(200);
  for (const path of [
    '..%2f..%2fpackage.json',
    'assets/..%2findex.html',
    '.hidden',
    'a/b/c/d',
    'assets/missing.js',
  ]) {
    expect([path, await status(sandbox, { host }, 'GET', `/chat/${path}`)]).toEqual([path, 404]);
  }
  expect(await status(sandbox, { host: `localhost:${port}` }, 'GET', '/chat/')).toBe(302);
  expect(await status(sandbox, { host: `evil.example:${port}` }, 'GET', '/chat/')).toBe(403);
});
