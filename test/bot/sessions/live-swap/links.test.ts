import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PageClient, cookieOf, enter, socketUrl } from './page-client.ts';
import { linkIn, live, useLiveCommunity, usePage } from './use-live-swap.ts';

/** Returns the status code with which an upgrade is refused. */
function refusalOf(
  url: URL,
  options: { origin?: string; headers?: Record<string, string>; protocols?: string[] },
) {
  const { protocols = [], ...rest } = options;
  const socket = new WebSocket(url, protocols, rest);
  return new Promise<number>((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('open', () => reject(new Error('The page was admitted')));
    socket.on('error', () => undefined);
  });
}

test('is valid once; its cookie, which scripts cannot read, admits the page again', async () => {
  const place = await useLiveCommunity();
  const link = linkIn(await live(place.ada, place, 'start', { minutes: 1 }));

  const first = await enter(link);
  const second = await enter(link);
  const page = await PageClient.connect(link, cookieOf(first));
  page.socket.close();
  await page.closed();
  const again = await PageClient.connect(link, cookieOf(first));

  expect(first.status).toBe(200);
  const cookie = first.headers.get('set-cookie');
  expect(cookie).toMatch(/^masquerade_live=[\w-]{43}; Path=\/live\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(new URL(link).hash.slice(1));
  expect(second.status).toBe(404);
  expect(await second.json()).toEqual({ error: { code: 'gone' } });
  expect(again.state).toMatchObject({ phase: 'waiting' });
});

test('expires, and its page expires too if the member does not start', async () => {
  const place = await useLiveCommunity({
    bot: (usual) => ({ ...usual, liveSwapLimits: { linkMs: 1_000, startMs: 1_000 } }),
  });
  const { ada } = place;
  const unused = linkIn(await live(ada, place, 'start', { minutes: 1 }));
  await expect.poll(async () => (await live(ada, place, 'status')).text).toContain('You are not live');
  const late = await enter(unused);
  const page = await PageClient.enter(linkIn(await live(ada, place, 'start', { minutes: 1 })));

  const ended = await page.is('ended');

  expect(late.status).toBe(404);
  expect(ended).toMatchObject({ why: 'expired', used: 0, charged: 0 });
  expect(await page.closed()).toBe(4000);
});

test('is valid only if it is the newest, and not during a session of the member', async () => {
  const { ada, page, link, ...place } = await usePage();
  const another = { ...place, ada };

  const newer = linkIn(await live(ada, another, 'start', { minutes: 2 }));
  const ended = await page.is('ended');
  const next = await PageClient.enter(newer);
  await next.goesLive();
  const refused = await live(ada, another, 'start', { minutes: 1 });

  expect((await enter(link)).status).toBe(404);
  expect(ended.why).toBe('expired');
  expect(next.state).toMatchObject({ phase: 'live', grantedSeconds: 120 });
  expect(refused.text).toContain('You are live already');
});

test('lets another page of the member take over the session', async () => {
  const place = await useLiveCommunity();
  const link = linkIn(await live(place.ada, place, 'start', { minutes: 1 }));
  const cookie = cookieOf(await enter(link));
  const first = await PageClient.connect(link, cookie);
  await first.goesLive();

  const second = await PageClient.connect(link, cookie);

  expect(await first.closed()).toBe(4001);
  expect(second.state.phase).toBe('live');
  expect(place.faces.taken).toBe(1);
});

test('admits no page from another origin, without a cookie, or with a wrong cookie', async () => {
  const { link } = await usePage();
  const url = socketUrl(link, 'socket');
  const { origin } = url;
  const http = origin.replace('ws', 'http');
  const good = { cookie: `masquerade_live=${'a'.repeat(43)}` };
  const wrong = ['masquerade-live-output', 'b'.repeat(43)];

  expect(await refusalOf(url, { origin: http })).toBe(401);
  expect(await refusalOf(url, { origin: http, headers: good })).toBe(401);
  expect(await refusalOf(url, { headers: good })).toBe(403);
  expect(await refusalOf(url, { origin: 'https://elsewhere.example', headers: good })).toBe(403);
  expect(await refusalOf(socketUrl(link, 'out/socket'), { origin: http, protocols: wrong })).toBe(401);
  expect((await enter(link, 'https://elsewhere.example')).status).toBe(403);
  expect((await fetch(new URL('socket', link))).status).toBe(426);
  const malformed = await fetch(new URL('enter', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: http },
    body: '{"key": 7',
  });
  expect([malformed.status, await malformed.json()]).toEqual([400, { error: { code: 'malformed' } }]);
});
