import { once } from 'node:events';
import { type Socket, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { MediaApiRefusal, MediaApiUnreachable } from '../../src/media-api/errors.ts';
import { MediaApi } from '../../src/media-api/media-api.ts';
import { type Reply, drop, json, refuse, text, useClient, useStubApi } from './use-stub-api.ts';

const BALANCE = {
  balance_usd: 12.34,
  total_spent_usd: 0.3,
  total_topped_up_usd: 12.64,
  spent_this_week_usd: 0.1,
  spent_this_month_usd: 0.2,
  spent_this_year_usd: 0.3,
};
const SUBMITTED = { id: 'j1', status: 'queued', status_url: '/api/v1/jobs/j1' };
const SUBMIT = {
  capability: 'photo_swap',
  body: '{"image_key":"api/a","face_key":"api/b"}',
  idempotencyKey: 'intent-1',
} as const;

async function failure(call: Promise<unknown>): Promise<MediaApiRefusal | MediaApiUnreachable> {
  const error: unknown = await call.then(
    () => new Error('The call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof MediaApiRefusal || error instanceof MediaApiUnreachable) return error;
  throw error;
}

test.each(['', '/'])('a base URL ending in "%s" is joined to exactly one /api/v1', async (ending) => {
  const stub = await useStubApi(json(200, BALANCE));
  await useClient({ baseUrl: stub.baseUrl + ending }).account.balance();
  expect(stub.received[0]?.url).toBe('/api/v1/balance');
});

test.each([
  'http://api.example/api/v1',
  'ftp://127.0.0.1/api/v1',
  'nonsense',
  'https://user:pw@api.example/api/v1',
])('the base URL %s is refused', (baseUrl) => {
  expect(() => new MediaApi({ baseUrl, apiKey: 'k' })).toThrow(RangeError);
});

test('a plain http base URL is accepted if it is explicitly allowed', async () => {
  const api = new MediaApi({ baseUrl: 'http://media:4100/api/v1', apiKey: 'k', allowInsecureHttp: true });
  await api[Symbol.asyncDispose]();
});

test.each([
  [400, 'invalid_input', 'never'],
  [400, 'unsupported_format', 'never'],
  [400, 'input_too_large', 'never'],
  [400, 'capability_unavailable', 'never'],
  [401, 'unauthorized', 'never'],
  [402, 'insufficient_balance', 'never'],
  [404, 'not_found', 'never'],
  [400, 'brand_new', 'never'],
] as const)('%i %s is final: one request, with the unchanged code', async (status, code, retry) => {
  const stub = await useStubApi(refuse(status, code));
  const error = await failure(useClient(stub).jobs.submit(SUBMIT));
  expect(error).toBeInstanceOf(MediaApiRefusal);
  expect(error).toMatchObject({ status, code, retry, ambiguous: false, local: false });
  expect(stub.received).toHaveLength(1);
});

test.each([
  [429, 'at_capacity'],
  [500, 'internal_error'],
  [502, 'internal_error'],
  [502, 'capacity_unavailable'],
  [502, 'capability_unavailable'],
  [503, 'brand_new'],
] as const)('a submit that gets %i %s is repeated under the same key and succeeds', async (status, code) => {
  const stub = await useStubApi(refuse(status, code), json(200, SUBMITTED));
  expect(await useClient(stub).jobs.submit(SUBMIT)).toMatchObject({ id: 'j1' });
  expect(stub.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['intent-1', 'intent-1']);
  expect(new Set(stub.received.map(({ body }) => body.toString()))).toEqual(new Set([SUBMIT.body]));
});

const malformed: readonly (readonly [string, Reply])[] = [
  ['an HTML page', text(200, '<html>Bad gateway</html>')],
  ['an empty body', text(200, '')],
  ['cut JSON', text(200, '{"id":"j1","status"')],
  ['an object without fields', text(200, '{}')],
  ['an empty id', json(200, { ...SUBMITTED, id: '' })],
  ['a field of another type', json(200, { ...SUBMITTED, status_url: 7 })],
  ['an array', text(200, '[]')],
  ['bytes that are not text', text(200, '\u0000\u0001')],
  ['an HTML 502', text(502, '<html>Bad gateway</html>')],
  ['an envelope of another shape at 500', json(500, { error: 'broken' })],
];

test.each(malformed)(
  '%s instead of an answer has an error type, is ambiguous, and is repeated',
  async (_name, reply) => {
    const stub = await useStubApi(reply);
    const error = await failure(useClient(stub).jobs.submit(SUBMIT));
    expect(error).toMatchObject({ code: 'bad_answer', phase: 'answer', ambiguous: true });
    expect(stub.received).toHaveLength(5);
  },
);

test('a body without an envelope at 4xx is a refusal by its status', async () => {
  const stub = await useStubApi(text(413, '<html>Too large</html>'));
  const error = await failure(useClient(stub).account.balance());
  expect(error).toMatchObject({ status: 413, code: 'http_413', retry: 'never' });
});

test('a redirect is not followed, so the key is sent nowhere else', async () => {
  const elsewhere = await useStubApi(json(200, BALANCE));
  const stub = await useStubApi(text(302, '', { location: `${elsewhere.origin}/api/v1/balance` }));
  expect(await failure(useClient(stub).account.balance())).toMatchObject({ code: 'redirected', status: 302 });
  expect(elsewhere.arrivals()).toBe(0);
  expect(stub.arrivals()).toBe(1);
});

test('an endless answer is cut off at the limit', async () => {
  const stub = await useStubApi((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void =>
      void (response.destroyed || response.write('['.repeat(16_384), () => setImmediate(more)));
    more();
  });
  const client = useClient(stub, { limits: { answerBytesMax: 100_000 } });
  expect(await failure(client.account.balance())).toMatchObject({
    code: 'answer_too_large',
    ambiguous: true,
  });
});

test('an unreachable port means that the request was certainly not carried out', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const client = useClient({ baseUrl: `http://127.0.0.1:${port}/api/v1` });
  const call = failure(client.jobs.submit(SUBMIT));
  expect(await call).toMatchObject({ code: 'connection_failed', phase: 'connect', ambiguous: false });
});

test('a connection that drops after the request may have been carried out', async () => {
  const stub = await useStubApi(drop);
  const error = await failure(useClient(stub).jobs.get({ id: 'j1', statusUrl: null }));
  expect(error).toMatchObject({ code: 'connection_lost', ambiguous: true });
  expect(stub.arrivals()).toBe(4);
});

test('a call with an ambiguous attempt stays ambiguous when the last attempt could not even connect', async () => {
  const stub = await useStubApi((_request, response) => {
    stub.server.close();
    response.destroy();
  });
  const error = await failure(useClient(stub).jobs.submit(SUBMIT));
  expect(error).toMatchObject({ code: 'connection_failed', ambiguous: true });
});

/** Starts a server that accepts connections, sends only the given text, and then hangs. */
async function useHangingServer(says: string): Promise<{ baseUrl: string; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    socket.once('data', () => socket.write(says));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    open.forEach((socket) => socket.destroy());
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as { port: number }).port}/api/v1`, open };
}

test.each([
  ['before the status', '', 'headers'],
  ['within the headers', 'HTTP/1.1 200 OK\r\ncontent-le', 'headers'],
  ['before the body', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n', 'body'],
  ['within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"id":', 'body'],
] as const)(
  'a service that hangs %s is given up in time, and its socket is freed',
  async (_name, says, phase) => {
    const server = await useHangingServer(says);
    const client = useClient(server, { limits: { headersMs: 80, totalMs: 160 } });
    const startedAt = performance.now();
    const call = failure(client.account.balance());
    const error = await call;
    expect(error).toMatchObject({ code: 'timed_out', phase, ambiguous: true });
    expect(performance.now() - startedAt).toBeLessThan(8000);
    await vi.waitFor(() => expect(server.open.size).toBe(0));
  },
);

test('a caller that aborts gets `aborted` at once, with the reason as cause', async () => {
  const server = await useHangingServer('');
  const controller = new AbortController();
  const call = failure(useClient(server).account.balance({ signal: controller.signal }));
  await vi.waitFor(() => expect(server.open.size).toBe(1));
  controller.abort(new Error('Shutting down'));
  expect(await call).toMatchObject({ code: 'aborted', ambiguous: true, cause: new Error('Shutting down') });
});

test('disposing the client ends its running calls', async () => {
  const server = await useHangingServer('');
  const client = useClient(server);
  const call = failure(client.account.balance());
  await vi.waitFor(() => expect(server.open.size).toBe(1));
  await client[Symbol.asyncDispose]();
  expect(await call).toBeInstanceOf(MediaApiUnreachable);
  expect(await failure(client.account.balance())).toMatchObject({ code: 'closed' });
});

test('a final refusal after an ambiguous attempt proves that nothing was carried out', async () => {
  const stub = await useStubApi(drop, refuse(402, 'insufficient_balance'));
  const error = await failure(useClient(stub).jobs.submit(SUBMIT));
  expect(error).toMatchObject({ code: 'insufficient_balance', ambiguous: false });
});

test('a refused key after an ambiguous attempt proves nothing', async () => {
  const stub = await useStubApi(drop, refuse(401, 'unauthorized'));
  const error = await failure(useClient(stub).jobs.submit(SUBMIT));
  expect(error).toMatchObject({ code: 'unauthorized', ambiguous: true });
});

test('disposing the client ends the waits between its attempts', async () => {
  const stub = await useStubApi(refuse(502, 'internal_error'));
  const clock = new FakeClock();
  const client = useClient(stub, { clock, limits: { retryDelayMsFirst: 60_000, retryDelayMsMax: 60_000 } });
  const call = failure(client.jobs.submit(SUBMIT));
  await vi.waitFor(() => expect(stub.received).toHaveLength(1));
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(1));
  await client[Symbol.asyncDispose]();
  expect(await call).toMatchObject({ code: 'closed', ambiguous: true });
  expect(clock.pendingTimers).toBe(0);
});

test('a refused key stops all requests except one probe per interval, and the client recovers', async () => {
  const stub = await useStubApi(refuse(401, 'unauthorized'));
  const clock = new FakeClock();
  const client = useClient(stub, { clock, limits: { keyProbeMs: 60_000 } });
  for (let call = 0; call < 5; call++) {
    expect(await failure(client.account.balance())).toMatchObject({ status: 401, code: 'unauthorized' });
  }
  expect(stub.arrivals()).toBe(1);
  await clock.advance(60_000);
  expect(await failure(client.account.balance())).toMatchObject({ status: 401, local: false });
  expect(await failure(client.account.balance())).toMatchObject({ status: 401, local: true });
  expect(stub.arrivals()).toBe(2);
  stub.script(json(200, BALANCE));
  await clock.advance(60_000);
  expect(await client.account.balance()).toMatchObject({ balance: 12_340_000 });
  expect(await client.account.balance()).toMatchObject({ totalSpent: 300_000 });
});

test('a new key is used at once, without waiting for a probe', async () => {
  const stub = await useStubApi(refuse(401, 'unauthorized'), json(200, BALANCE));
  let apiKey = 'old-key';
  const client = useClient(stub, { apiKey: () => apiKey });
  await failure(client.account.balance());
  apiKey = 'new-key';
  await client.account.balance();
  expect(stub.received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer old-key',
    'Bearer new-key',
  ]);
});

test('`rate_limited` delays all requests until Retry-After has passed, and the caller sees no error', async () => {
  const stub = await useStubApi(refuse(429, 'rate_limited', { 'retry-after': '30' }), json(200, BALANCE));
  const clock = new FakeClock();
  const client = useClient(stub, { clock });
  const calls = [client.account.balance()];
  await vi.waitFor(() => expect(stub.received).toHaveLength(1));
  await vi.waitFor(async () => {
    await clock.advance(0);
    expect(clock.pendingTimers).toBeGreaterThan(0);
  });
  calls.push(client.account.balance({ priority: 'interactive' }));
  await clock.advance(29_000);
  expect(stub.received).toHaveLength(1);
  await clock.advance(4000);
  await Promise.all(calls);
  expect(stub.received).toHaveLength(3);
});

test('no error contains a key, a query string or the text of the service', async () => {
  const stub = await useStubApi(json(400, { error: { code: 'invalid_input', message: 'CANARY-text' } }));
  const client = useClient(stub, { apiKey: 'CANARY-key' });
  const errors = [
    await failure(client.jobs.get({ id: 'j1', statusUrl: '/api/v1/jobs/j1?CANARY-query=1' })),
    await failure(client.account.usage({ from: 'CANARY-from' })),
  ];
  for (const error of errors) {
    expect(`${error.stack}${JSON.stringify(error)}${JSON.stringify(error.cause)}`).not.toContain('CANARY');
  }
});

/** The results of earlier attempts at the same call, and whether they may have created a job. */
const EARLIER: readonly (readonly [string, readonly Reply[], boolean])[] = [
  ['no earlier attempt', [], false],
  ['a lost answer', [drop], true],
  ['a fault', [refuse(500, 'internal_error')], true],
  ['an answer that cannot be read', [text(200, 'cut')], true],
  ['no room', [refuse(429, 'at_capacity')], false],
  ['no capacity', [refuse(502, 'capacity_unavailable')], false],
  ['a lost answer and no room', [drop, refuse(429, 'at_capacity')], true],
  ['no room and a lost answer', [refuse(429, 'at_capacity'), drop], true],
];

/** The last answer, and whether it proves that no earlier attempt has created a job. */
const LAST: readonly (readonly [number, string, boolean])[] = [
  [400, 'invalid_input', true],
  [400, 'brand_new', true],
  [402, 'insufficient_balance', true],
  [404, 'not_found', true],
  // A gateway in front of the service may send these answers without looking at the request.
  [401, 'unauthorized', false],
  [403, 'forbidden', false],
];

test.each(EARLIER.flatMap((earlier) => LAST.map((last) => [...earlier, ...last] as const)))(
  'after %s (%o: uncertain is %s) %i %s proves absence: %s',
  async (_what, replies, isUncertain, status, code, proves) => {
    const stub = await useStubApi(...replies, refuse(status, code));
    let uncertain = 0;
    const call = useClient(stub).jobs.submit(SUBMIT, { onUncertain: () => (uncertain += 1) });

    expect(await failure(call)).toMatchObject({ status, code, ambiguous: isUncertain && !proves });
    expect(uncertain).toBe(isUncertain ? 1 : 0);
    expect(stub.arrivals()).toBe(replies.length + 1);
  },
);

test('a refusal by the client itself proves nothing about an earlier attempt', async () => {
  const stub = await useStubApi(drop, refuse(401, 'unauthorized'));
  const clock = new FakeClock();
  const client = useClient(stub, { clock, limits: { retryDelayMsFirst: 1000, retryDelayMsMax: 1000 } });
  const call = failure(client.jobs.submit(SUBMIT));
  await vi.waitFor(() => expect(clock.pendingTimers).toBe(1));
  // Meanwhile another call discovers that the key is refused.
  const other = await failure(client.account.balance());
  expect(other).toMatchObject({ status: 401, local: false });
  await clock.advance(1000);
  expect(await call).toMatchObject({ status: 401, local: true, ambiguous: true });
});

test.each([
  ['a read', 'get', 4],
  ['a submit', 'submit', 5],
  ['the balance', 'balance', 3],
] as const)('a failing service receives %s (%s) %i times in all', async (_what, method, times) => {
  const stub = await useStubApi(refuse(500, 'internal_error'));
  const api = useClient(stub);
  const calls = {
    get: () => api.jobs.get({ id: 'j1', statusUrl: null }),
    submit: () => api.jobs.submit(SUBMIT),
    balance: () => api.account.balance(),
  };
  expect(await failure(calls[method]())).toMatchObject({ status: 500 });
  expect(stub.arrivals()).toBe(times);
});

test('a lack of capacity is passed on at once to callers with their own queue, and waited out for others', async () => {
  const full = refuse(429, 'at_capacity');
  const stub = await useStubApi(full);
  const api = useClient(stub);
  expect(await failure(api.jobs.submit(SUBMIT, { returnsForCapacity: true }))).toMatchObject({
    retry: 'soon',
  });
  expect(stub.arrivals()).toBe(1);
  expect(await failure(api.jobs.submit(SUBMIT))).toMatchObject({ retry: 'soon' });
  expect(stub.arrivals()).toBe(6);
});

test('one call waits for the rate limit at most five times, besides its other attempts', async () => {
  const stub = await useStubApi(refuse(429, 'rate_limited', { 'retry-after': '1' }));
  const clock = new FakeClock();
  const call = failure(useClient(stub, { clock }).account.balance());
  await vi.waitFor(async () => {
    await clock.advance(1000);
    expect(stub.arrivals()).toBe(5);
  });
  expect(await call).toMatchObject({ status: 429, retry: 'slow_down', retryAfterMs: 1000 });
  expect(stub.arrivals()).toBe(5);
});

test.each([
  [undefined, 0],
  ['7', 7_000],
  // However long a wait the service requests, no call waits longer than a minute.
  ['60', 60_000],
  ['61', 60_000],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 1969 23:59:59 GMT', 0],
  ['soon', 0],
])('with "Retry-After: %s", the next attempt follows after %i ms', async (value, waitMs) => {
  const headers = value === undefined ? {} : { 'retry-after': value };
  const stub = await useStubApi(
    refuse(502, 'capacity_warming', headers),
    refuse(500, 'internal_error', headers),
    json(200, BALANCE),
  );
  const clock = new FakeClock(0);
  const client = useClient(stub, { clock, limits: { retryDelayMsFirst: 0, retryDelayMsMax: 0 } });
  const call = client.account.balance().catch((error: unknown) => error);
  const first = await call.then((end) => end, String);
  // A warm-up takes about a minute, so the client passes the refusal on to the caller instead of retrying.
  expect(first).toMatchObject({
    code: 'capacity_warming',
    retryAfterMs: value === undefined || value === 'soon' ? null : expect.any(Number),
  });
  const again = client.account.balance();
  await vi.waitFor(() => expect(stub.arrivals()).toBe(2));
  if (waitMs > 0) {
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(1));
    await clock.advance(waitMs - 1);
    expect(stub.arrivals()).toBe(2);
    await clock.advance(1);
  } else {
    await vi.waitFor(async () => {
      await clock.advance(0);
      expect(stub.arrivals()).toBe(3);
    });
  }
  expect(await again).toMatchObject({ balance: 12_340_000 });
});
