import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { statusAt, upgradeAndVanish } from './raw-request.ts';
import { usePage } from './use-page.ts';

test('programs may send requests, browsers only from the page itself, and nobody by a foreign host name', async () => {
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
  const found = await Promise.all(asked.map(([, headers]) => statusAt(origin, { headers })));
  expect(found).toEqual(asked.map(([expected]) => expected));
  const ordered = { method: 'POST', path: '/control/faults' };
  expect(await statusAt(origin, { ...ordered, headers: { host, origin: foreign, cookie } })).toBe(403);
});

test('the socket opens for the page only', async () => {
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

test('the page is served with a policy, under one name, and no other file of the disk is served', async () => {
  const sandbox = await useSandbox();
  const { host, port, origin } = new URL(sandbox.chatUrl);
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
    const status = await statusAt(origin, { headers: { host }, path: `/chat/${path}` });
    expect([path, status]).toEqual([path, 404]);
  }
  const at = (name: string): Promise<number> =>
    statusAt(origin, { headers: { host: `${name}:${port}` }, path: '/chat/' });
  expect(await at('localhost')).toBe(302);
  expect(await at('evil.example')).toBe(403);
});

test('a client that requests a socket and disconnects, or requests an unknown one, causes no failure', async () => {
  const sandbox = await useSandbox();
  const { origin } = new URL(sandbox.chatUrl);
  for (const path of ['/control/live', '/nowhere', '//', '/'])
    await Promise.all([...Array(5)].map(() => upgradeAndVanish(origin, path)));
  expect((await fetch(sandbox.chatUrl)).status).toBe(200);
  expect(new Set(sandbox.takeViolations().map(({ detail }) => detail))).toEqual(
    new Set(['/nowhere', 'no path']),
  );
});
