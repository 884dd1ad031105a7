import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { FRAME_RULES } from '../../../src/bot/web/live/frame-rules.ts';
import { registerLive } from '../../../src/bot/web/live/register-live.ts';
import type { LivePage, LiveSeat } from '../../../src/bot/sessions/live-swap/live-page.ts';
import type { LiveSwapPages } from '../../../src/bot/web/live/live-swap-pages.ts';
import type { LiveViewer } from '../../../src/bot/sessions/live-swap/live-viewer.ts';

const KEY = 'k'.repeat(43);
const PASS = 'p'.repeat(43);
const OUTPUT = 'o'.repeat(43);
const URL_OF_PAGE = 'https://bot.example/masquerade/live/';
const ORIGIN = 'https://bot.example';

/** One session, which only records the requests that it receives. */
class OneSession implements LiveSwapPages {
  readonly consent = { version: 'v1', paragraphs: ['words'] };
  readonly service = 'media.example';
  readonly limits = { silentMs: 10_000, aheadMax: 3 };
  readonly did: string[] = [];
  page: LivePage | null = null;
  viewer: LiveViewer | null = null;
  isSeatFree = true;
  outputKey: string | null = OUTPUT;
  agrees = true;

  enter(key: string): string | null {
    return key === KEY ? PASS : null;
  }

  hasPass(pass: string): boolean {
    return pass === PASS;
  }

  hasOutput(key: string): boolean {
    return key === OUTPUT;
  }

  takeSeat(_pass: string, page: LivePage): LiveSeat | null {
    this.page = page;
    const note = (what: string) => (): void => void this.did.push(what);
    const share = (): string | null => {
      this.did.push('share');
      return this.outputKey;
    };
    const agree = async (version: string): Promise<void> => {
      this.did.push(`agree ${version}`);
      if (!this.agrees) throw new Error('Cannot store it');
    };
    const view = {
      guildId: 'guild',
      guildName: null,
      minutes: 5,
      prompt: null,
      face: null,
      perMinute: null,
      expected: null,
      isAgreed: true,
      phase: { kind: 'connecting' },
    } as const;
    const show = (jpeg: Buffer): void => void this.did.push(`show ${jpeg.toString()}`);
    const rest = { start: note('start'), stop: note('stop'), unshare: note('unshare') };
    const ends = { answered: note('answered'), leave: note('leave') };
    return this.isSeatFree ? { view, agree, share, show, ...rest, ...ends } : null;
  }

  watch(_key: string, viewer: LiveViewer): { phase: 'live'; answered(): void; leave(): void } | null {
    this.viewer = viewer;
    const note = (what: string) => (): void => void this.did.push(what);
    return this.isSeatFree ? { phase: 'live', answered: note('answered'), leave: note('leave') } : null;
  }
}

interface Place {
  readonly app: ReturnType<typeof fastify>;
  readonly pages: OneSession;
  readonly stop: AbortController;
  /** The page's public URL, and whether the routes are open; tests change both. */
  readonly web: { url: URL | null; isOpen: boolean };
}

async function useLiveRoutes(prefix = ''): Promise<Place> {
  const app = fastify();
  onTestFinished(() => app.close());
  const pages = new OneSession();
  const stop = new AbortController();
  const web = { url: new URL(URL_OF_PAGE) as URL | null, isOpen: true };
  const options = { pages, pageUrl: () => web.url, isOpen: () => web.isOpen, stopping: stop.signal };
  await app.register((scope) => registerLive(scope, options), { prefix });
  return { app, pages, stop, web };
}

describe('entering by a link', () => {
  const json = { 'content-type': 'application/json', origin: ORIGIN };
  const right = JSON.stringify({ key: KEY });
  const long = (length: number): string => right.padEnd(length, ' ');

  test.each([
    ['its key', json, right, 200, null],
    ['a key that leads nowhere', json, JSON.stringify({ key: 'x'.repeat(43) }), 404, 'gone'],
    ['text that is not a key', json, JSON.stringify({ key: 'short' }), 400, 'malformed'],
    ['more than a key', json, JSON.stringify({ key: KEY, more: 1 }), 400, 'malformed'],
    ['text that is not JSON', json, '{"key":', 400, 'malformed'],
    ['no body', json, '', 400, 'malformed'],
    [
      'no form',
      { ...json, 'content-type': 'application/x-www-form-urlencoded' },
      `key=${KEY}`,
      415,
      'malformed',
    ],
    ['exactly the allowed bytes', json, long(1_024), 200, null],
    ['too many bytes', json, long(1_025), 413, 'malformed'],
    ['another origin', { ...json, origin: 'https://bot.example.org' }, right, 403, 'foreign'],
    ['another port', { ...json, origin: `${ORIGIN}:8443` }, right, 403, 'foreign'],
    ['no origin', { 'content-type': 'application/json' }, right, 403, 'foreign'],
    ['no origin and no key', { 'content-type': 'application/json' }, '{}', 403, 'foreign'],
  ])('with %s is answered so that a page understands it', async (_what, headers, payload, status, code) => {
    const { app } = await useLiveRoutes();

    const answer = await app.inject({ method: 'POST', url: '/live/enter', headers, payload });

    expect([answer.statusCode, answer.json()]).toEqual([status, code === null ? {} : { error: { code } }]);
    const cookie = `masquerade_live=${PASS}; Path=/masquerade/live/; HttpOnly; SameSite=Strict; Secure`;
    expect(answer.headers['set-cookie']).toBe(code === null ? cookie : undefined);
    const isRead = status !== 413 && status !== 415;
    if (isRead)
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  test('is not possible while the page has no public address', async () => {
    const { app, web } = await useLiveRoutes();
    web.url = null;
    const answer = await app.inject({ method: 'POST', url: '/live/enter', headers: json, payload: right });
    expect([answer.statusCode, answer.json()]).toEqual([503, { error: { code: 'stopped' } }]);
  });
});

test.each([
  ['/live/', 'camera=(self)'],
  ['/live/out/', 'camera=()'],
])(
  'serves %s below its prefix with protecting headers, and allows only the devices it needs',
  async (path, camera) => {
    const { app } = await useLiveRoutes('/masquerade');

    const { statusCode, headers, payload } = await app.inject(`/masquerade${path}`);

    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, noarchive',
      'cross-origin-opener-policy': 'same-origin',
    });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join()).not.toMatch(/unsafe|\*|http/);
    const devices = String(headers['permissions-policy']).split(', ');
    expect(devices.filter((device) => !device.endsWith('=()'))).toEqual(
      camera === 'camera=()' ? [] : [camera],
    );
    expect(devices).toEqual(
      expect.arrayContaining([camera, 'microphone=()', 'display-capture=()', 'geolocation=()']),
    );
    const [script] = /\.\/assets\/[\w.-]+\.js/.exec(payload) ?? [''];
    const asset = await app.inject(new URL(script, `http://x/masquerade${path}`).pathname);
    expect([asset.statusCode, asset.headers['content-type']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
  },
);

interface Sockets extends Place {
  readonly port: number;
  readonly connect: (
    path: string,
    options?: { headers?: Record<string, string>; protocols?: string[] },
  ) => WebSocket;
}

async function useSockets(): Promise<Sockets> {
  const place = await useLiveRoutes('/masquerade');
  await place.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = place.app.server.address() as AddressInfo;
  const connect: Sockets['connect'] = (path, { headers = {}, protocols = [] } = {}) => {
    const url = `ws://127.0.0.1:${port}/masquerade/live/${path}`;
    const socket = new WebSocket(url, protocols, { headers: { origin: ORIGIN, ...headers } });
    onTestFinished(() => socket.terminate());
    return socket.on('error', () => undefined);
  };
  return { ...place, port, connect };
}

/** Returns the HTTP status with which a socket is refused, or 101 if it is accepted. */
async function statusOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
  });
}

const COOKIE = { cookie: `a=b; masquerade_live=${PASS}` };
const PROTOCOLS = ['masquerade-live-output', OUTPUT];

describe('a socket', () => {
  test.each([
    ['socket', { headers: COOKIE }, 101],
    ['socket?x=1', { headers: COOKIE }, 101],
    ['socket', {}, 401],
    ['socket', { protocols: PROTOCOLS }, 401],
    ['socket', { headers: { cookie: `masquerade_live=${KEY}` } }, 401],
    ['socket', { headers: { ...COOKIE, origin: 'http://bot.example' } }, 403],
    ['socket', { headers: { ...COOKIE, origin: 'null' } }, 403],
    ['out/socket', { protocols: PROTOCOLS }, 101],
    ['out/socket?x=1', { protocols: PROTOCOLS }, 101],
    ['out/socket', { headers: COOKIE }, 401],
    ['out/socket', { protocols: [OUTPUT, 'masquerade-live-output'] }, 401],
    ['out/socket', { protocols: ['masquerade-live-output'] }, 401],
    ['out/socket', { protocols: ['masquerade-live-output', KEY] }, 401],
    ['out/socket', { protocols: ['masquerade-live-output', 'short'] }, 401],
    ['out/socket', { protocols: PROTOCOLS, headers: { origin: 'https://elsewhere.example' } }, 403],
  ])('of %s with %j is answered with %i', async (path, options, status) => {
    const { connect } = await useSockets();
    expect(await statusOf(connect(path, options))).toBe(status);
  });

  test.each([
    ['the bot has stopped', (place: Place) => (place.web.isOpen = false)],
    ['the page has no public address', (place: Place) => (place.web.url = null)],
  ])('is refused once %s', async (_what, change) => {
    const place = await useSockets();
    change(place);
    expect(await statusOf(place.connect('socket', { headers: COOKIE }))).toBe(503);
  });

  test('is cut off when the bot stops, which then no longer handles its path', async () => {
    const { app, connect, stop } = await useSockets();
    const socket = connect('socket', { headers: COOKIE });
    await once(socket, 'open');
    const closed = once(socket, 'close');

    stop.abort();

    expect((await closed)[0]).toBe(1006);
    expect(app.server.listenerCount('upgrade')).toBe(0);
    expect((await app.inject('/masquerade/live/socket')).statusCode).toBe(426);
  });
});

test('is cut off when the host closes its server', async () => {
  const { app, connect } = await useSockets();
  const socket = connect('socket', { headers: COOKIE });
  await once(socket, 'open');
  const closed = once(socket, 'close');

  await app.close();

  expect((await closed)[0]).toBe(1006);
});

/** Any silent page is cut off after fifteen seconds. Tests of other reasons for the cut-off wait less than that. */
const BEFORE_PINGS_MS = 10_000;

/** Connects a page and records what it receives. */
async function usePage(path: 'socket' | 'out/socket', change: (pages: OneSession) => void = () => undefined) {
  const place = await useSockets();
  change(place.pages);
  const socket = place.connect(path, path === 'socket' ? { headers: COOKIE } : { protocols: PROTOCOLS });
  const heard: unknown[] = [];
  let code: number | null = null;
  socket.on('message', (data: Buffer, isBinary) =>
    heard.push(isBinary ? data.toString() : (JSON.parse(data.toString()) as unknown)),
  );
  socket.on('close', (closeCode) => (code = closeCode));
  return { ...place, socket, heard, code: () => code };
}

describe('a member’s page', () => {
  test('has its requests carried out in order, and receives the answers', async () => {
    const { socket, heard, pages } = await usePage('socket');
    await expect.poll(() => heard.length).toBe(2);
    for (const type of ['start', 'stop', 'share', 'unshare', 'taken']) socket.send(JSON.stringify({ type }));
    socket.send('{"type":"agree","version":"v1"}');
    socket.send(Buffer.from('a picture'));
    await expect.poll(() => pages.did).toHaveLength(7);
    socket.close();
    await expect.poll(() => pages.did.at(-1)).toBe('leave');

    expect(pages.did).toEqual([
      'start',
      'stop',
      'share',
      'unshare',
      'answered',
      'agree v1',
      'show a picture',
      'leave',
    ]);
    expect(heard).toMatchObject([
      { type: 'hello', minutes: 5 },
      { type: 'state', phase: 'connecting' },
      { type: 'output', url: `${URL_OF_PAGE}out/#${OUTPUT}` },
      { type: 'output', url: null },
      { type: 'taken' },
    ]);
  });

  test('receives what the session sends, and then the reason why it is closed', async () => {
    for (const [why, expected] of [
      ['over', 4000],
      ['replaced', 4001],
      ['shutdown', 1001],
    ] as const) {
      const { heard, pages, code } = await usePage('socket');
      await expect.poll(() => heard.length).toBe(2);
      pages.page?.warn(59);
      pages.page?.reportProblem('It did not work.');
      pages.page?.changed();
      const sent = Promise.withResolvers<void>();
      expect(pages.page?.send(Buffer.from('altered'), sent.resolve)).toBe(true);
      await sent.promise;
      pages.page?.close(why);
      await expect.poll(code).toBe(expected);
      expect(pages.page?.send(Buffer.from('late'), () => undefined)).toBe(false);
      expect(heard.slice(2)).toEqual([
        { type: 'warning', leftSeconds: 59 },
        { type: 'problem', text: 'It did not work.' },
        { type: 'state', phase: 'connecting' },
        'altered',
      ]);
      expect(pages.did).toEqual(['leave']);
    }
  });

  test('is informed when nothing can be shared, and when its consent was not stored', async () => {
    const { socket, heard } = await usePage('socket', (pages) => {
      pages.outputKey = null;
      pages.agrees = false;
    });
    await once(socket, 'open');
    socket.send('{"type":"share"}');
    socket.send('{"type":"agree","version":"v1"}');
    await expect
      .poll(() => heard.slice(2))
      .toEqual([
        { type: 'output', url: null },
        { type: 'problem', text: expect.stringContaining('consent') as unknown },
      ]);
  });

  test('receives an answer to each picture at once, and may send as many as the rate allows', async () => {
    const { socket, heard, pages } = await usePage('socket');
    await expect.poll(() => heard.length).toBe(2);
    const sentAtMs = performance.now();
    for (let index = 0; index < 200; index++) socket.send(Buffer.from(`${index}`));
    await expect.poll(() => heard.slice(2)).toEqual(Array.from({ length: 200 }, () => ({ type: 'taken' })));

    const { perSecondMax } = FRAME_RULES;
    const seconds = (performance.now() - sentAtMs) / 1_000;
    expect(pages.did.length).toBeLessThanOrEqual(perSecondMax * (1 + seconds));
    const first = Array.from({ length: perSecondMax }, (_, index) => `show ${index}`);
    expect(pages.did.slice(0, perSecondMax)).toEqual(first);
  });

  test.each([
    ['{"type":"stop"}', 20],
    ['{"type":"taken"}', 300],
  ])('that sends %s more than %i times a second is closed', async (text, perSecondMax) => {
    const { socket, heard, pages, code } = await usePage('socket');
    await expect.poll(() => heard.length).toBe(2);
    const sentAtMs = performance.now();
    for (let index = 0; index < 10 * perSecondMax; index++) socket.send(text);
    await expect.poll(code).toBe(1008);

    const seconds = (performance.now() - sentAtMs) / 1_000;
    const done = pages.did.filter((did) => did !== 'leave');
    expect(done.length).toBeGreaterThanOrEqual(perSecondMax);
    expect(done.length).toBeLessThanOrEqual(perSecondMax * (1 + seconds));
  });

  test('that does not answer the close is cut off soon', async () => {
    const { socket, pages } = await usePage('socket');
    await once(socket, 'open');
    socket.pause();

    pages.page?.close('over');

    await expect.poll(() => pages.did, { timeout: BEFORE_PINGS_MS }).toEqual(['leave']);
  });

  test('that reads nothing is cut off once too much waits for it', async () => {
    const { socket, pages } = await usePage('socket');
    await once(socket, 'open');
    socket.pause();
    // For a reader that reads nothing, the operating system buffers a few megabytes, so the test sends more.
    for (let count = 0; count < 4; count++) pages.page?.send(Buffer.alloc(8 * 2 ** 20), () => undefined);

    pages.page?.changed();

    await expect.poll(() => pages.did, { timeout: BEFORE_PINGS_MS }).toEqual(['leave']);
  });

  test('is closed as over when its seat is gone', async () => {
    const { heard, code } = await usePage('socket', (pages) => (pages.isSeatFree = false));
    await expect.poll(code).toBe(4000);
    expect(heard).toEqual([]);
  });
});

describe('the page of an output', () => {
  test('receives the state, and only answers', async () => {
    const { socket, heard, pages, code } = await usePage('out/socket');
    await once(socket, 'open');
    expect(socket.protocol).toBe('masquerade-live-output');
    socket.send('{"type":"taken"}');
    await expect.poll(() => pages.did).toEqual(['answered']);
    pages.viewer?.changed('waiting');
    pages.viewer?.send(Buffer.from('altered'), () => undefined);
    await expect
      .poll(() => heard)
      .toEqual([{ type: 'state', phase: 'live' }, { type: 'state', phase: 'waiting' }, 'altered']);

    socket.send(Buffer.from('a picture'));

    await expect.poll(code).toBe(1008);
    expect(pages.did).toEqual(['answered', 'leave']);
  });

  test.each([
    ['{"type":"start"}', 1008],
    [`{"type":"taken"}${' '.repeat(4_096)}`, 1009],
  ])('is closed after it sent %j', async (text, expected) => {
    const { socket, code } = await usePage('out/socket');
    await once(socket, 'open');
    socket.send(text);
    await expect.poll(code).toBe(expected);
  });

  test.each([
    ['over', 4000],
    ['shutdown', 1001],
    ['not_good', 4002],
  ] as const)('is closed because it is "%s" with %i', async (why, expected) => {
    const { socket, pages, code } = await usePage('out/socket');
    await once(socket, 'open');
    pages.viewer?.close(why);
    await expect.poll(code).toBe(expected);
  });

  test('is closed when it has too many viewers', async () => {
    const { heard, code } = await usePage('out/socket', (pages) => (pages.isSeatFree = false));
    await expect.poll(code).toBe(4002);
    expect(heard).toEqual([]);
  });
});
