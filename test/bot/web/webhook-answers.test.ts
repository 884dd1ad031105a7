import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findJob } from '../../../db/queries/jobs.ts';
import { BatcherFull } from '../../../src/base/batcher.ts';
import { type WireNote, watchWire } from '../../../src/base/wire-note.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { TOKEN, type Web, deliveryBody, signedHeaders, useWeb } from './use-web.ts';

const BODY_BYTES_MAX = 256 * 1024;

const seconds = (web: Web): number => Math.floor(web.clock.now() / 1000);

function stored({ db }: Web) {
  return db.kysely.selectFrom('webhook_deliveries').selectAll().execute();
}

interface Post {
  readonly body?: Buffer | undefined;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** Posts a delivery that is valid except for the given values. */
async function post(
  web: Web,
  { body = deliveryBody(), headers, path = TOKEN }: Post = {},
): Promise<LightMyRequestResponse> {
  return web.app.inject({
    method: 'POST',
    url: `/webhooks/${path}`,
    payload: body,
    headers: headers ?? signedHeaders(body, seconds(web)),
  });
}

/** Sends header lines unchanged, and returns the status. */
async function sendLines(web: Web, lines: readonly string[], body: Buffer): Promise<number> {
  const { port } = web.app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  const head = [
    `POST /webhooks/${TOKEN} HTTP/1.1`,
    'host: x',
    `content-length: ${body.length}`,
    'connection: close',
    ...lines,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return Number(answer.toString('latin1').split(' ')[1]);
}

const ZEROS = '0'.repeat(64);

/** Header lines, some with the same name. Node.js itself would keep only one of these lines, or join their values. */
const LINES: readonly (readonly [
  what: string,
  lines: (right: string) => readonly string[],
  status: number,
])[] = [
  ['one signature', (right) => [`Service-Signature: ${right}`], 200],
  ['its name in capitals', (right) => [`SERVICE-SIGNATURE: ${right}`], 200],
  ['the same twice', (right) => [`Service-Signature: ${right}`, `Service-Signature: ${right}`], 401],
  [
    'the same twice, in another case',
    (right) => [`Service-Signature: ${right}`, `service-signature: ${right}`],
    401,
  ],
  ['an empty one before', (right) => ['Service-Signature:', `Service-Signature: ${right}`], 401],
  ['an empty one after', (right) => [`Service-Signature: ${right}`, 'Service-Signature:'], 401],
  [
    'a wrong one before',
    (right) => [`Service-Signature: t=1,v1=${ZEROS}`, `Service-Signature: ${right}`],
    401,
  ],
  [
    'a wrong one after',
    (right) => [`Service-Signature: ${right}`, `Service-Signature: t=1,v1=${ZEROS}`],
    401,
  ],
  [
    'another header between both',
    (right) => [`Service-Signature: ${right}`, 'Service-Event: job.succeeded', `Service-Signature: ${right}`],
    401,
  ],
  [
    'its own beside that of another service',
    (right) => [`Other-Signature: t=1,v1=${ZEROS}`, `Service-Signature: ${right}`],
    200,
  ],
  ['two of other names', (right) => [`One-Signature: ${right}`, `Two-Signature: ${right}`], 401],
  ['the same of another name twice', (right) => [`One-Signature: ${right}`, `One-Signature: ${right}`], 401],
  ['none', () => [], 401],
  [
    'other headers twice',
    (right) => ['X-A: 1', 'X-A: 2', `Service-Signature: ${right}`, 'Content-Type: a/b', 'Content-Type: c/d'],
    200,
  ],
];

test.each(LINES)('answers to %s as sent over the connection', async (_what, lines, status) => {
  const web = await useWeb();
  await web.app.listen({ host: '127.0.0.1', port: 0 });
  const body = deliveryBody();
  const right = signedHeaders(body, seconds(web))['service-signature'] ?? '';

  expect(await sendLines(web, lines(right), body)).toBe(status);
  expect(await stored(web)).toHaveLength(status === 200 ? 1 : 0);
});

test.each([
  ['a', 404],
  ['a'.repeat(7), 404],
  ['a'.repeat(8), 200],
  ['cb_0123456789', 200],
  ['a'.repeat(64), 200],
  ['a'.repeat(65), 404],
  ['cb_AAAAAAAA', 404],
  ['cb-aaaaaaaa', 404],
  ['cb_aaaaaaaa%0a', 404],
])('by the path %s is answered with %i', async (path, status) => {
  const web = await useWeb();

  const answer = await post(web, { path });

  expect(answer.statusCode).toBe(status);
  expect((await stored(web)).map((row) => row.callback_token)).toEqual(status === 200 ? [path] : []);
  if (status === 404) {
    expect(answer.json()).toEqual({ error: { code: 'refused', message: 'The webhook was not accepted' } });
  }
});

test.each([
  [BODY_BYTES_MAX - 1, 200],
  [BODY_BYTES_MAX, 200],
  [BODY_BYTES_MAX + 1, 413],
])('with %i bytes is answered with %i', async (length, status) => {
  const lines: string[] = [];
  const web = await useWeb({ log: recordingLogger(lines) });
  const bare = deliveryBody('srv_1', 'dlv_1').length;
  const body = deliveryBody('srv_1', 'dlv_1', 'x'.repeat(length - bare));
  expect(body).toHaveLength(length);

  const answer = await post(web, { body });

  expect(answer.statusCode).toBe(status);
  if (status === 413) expect(answer.json()).toMatchObject({ error: { code: 'too_large' } });
  expect(await stored(web)).toHaveLength(status === 200 ? 1 : 0);
  expect(lines).toEqual([]);
});

test('stores exactly the received bytes, for the job in their content or in the path', async () => {
  const web = await useWeb();
  const body = Buffer.concat([Buffer.from(' \n'), deliveryBody('srv_1', 'dlv_other'), Buffer.from('\n')]);

  const first = await post(web, { body });
  const again = await post(web, { body });
  const other = await post(web, { body: deliveryBody('srv_1', 'dlv_2') });

  const answers = [first, again, other].map((answer) => [answer.statusCode, answer.json()]);
  expect(answers).toEqual([
    [200, { status: 'stored' }],
    [200, { status: 'duplicate' }],
    [200, { status: 'stored' }],
  ]);
  const [row, ...more] = await stored(web);
  expect(row).toMatchObject({
    delivery_id: 'dlv_other',
    service_job_id: 'srv_1',
    callback_token: TOKEN,
    processed_at_ms: null,
  });
  expect(Buffer.from(row?.body ?? '')).toEqual(body);
  expect(more).toHaveLength(1);
});

test.each(['application/json', 'text/plain', 'application/octet-stream', 'multipart/form-data; boundary=x'])(
  'accepts the bytes unchanged, also as %s',
  async (type) => {
    const web = await useWeb();
    const body = deliveryBody();
    const headers = { ...signedHeaders(body, seconds(web)), 'content-type': type };

    expect((await post(web, { body, headers })).statusCode).toBe(200);
  },
);

test('refuses a request without a body', async () => {
  const web = await useWeb();
  const headers = signedHeaders(Buffer.alloc(0), seconds(web));
  delete headers['content-type'];

  const answer = await web.app.inject({ method: 'POST', url: `/webhooks/${TOKEN}`, headers });

  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ error: { code: 'refused' } });
  expect((await web.app.inject(`/webhooks/${TOKEN}`)).statusCode).toBe(404);
});

/** Returns a delivery that is signed correctly, but whose body, altered by `change`, cannot be stored. */
function signedText(change: (delivery: Record<string, unknown>) => unknown): (web: Web) => Post {
  return (web) => {
    const delivery = JSON.parse(deliveryBody().toString()) as Record<string, unknown>;
    const body = Buffer.from(JSON.stringify(change(delivery)));
    return { body, headers: signedHeaders(body, seconds(web)) };
  };
}

const STALE_SECONDS = 301;

/** Refused deliveries. The bot then checks the job only if the service signed the delivery and the body names a job. */
const REFUSED: readonly (readonly [
  what: string,
  make: (web: Web) => Post,
  reason: string,
  isLooked: boolean,
])[] = [
  [
    'an old signature',
    (web) => ({ headers: signedHeaders(deliveryBody(), seconds(web) - STALE_SECONDS) }),
    'stale',
    true,
  ],
  [
    'an early signature',
    (web) => ({ headers: signedHeaders(deliveryBody(), seconds(web) + STALE_SECONDS) }),
    'stale',
    true,
  ],
  [
    'an event that contradicts its state',
    signedText((delivery) => ({ ...delivery, event: 'job.failed' })),
    'inconsistent',
    true,
  ],
  ['a text without an event', signedText(({ event: _none, ...rest }) => rest), 'malformed_body', true],
  ['a text without a job', signedText(() => ({})), 'malformed_body', false],
  [
    'an old signature by a stranger',
    (web) => ({ headers: signedHeaders(deliveryBody(), seconds(web) - STALE_SECONDS, 'whsec_other') }),
    'mismatch',
    false,
  ],
  ['no signature', () => ({ headers: { 'content-type': 'application/json' } }), 'missing_header', false],
  ['a broken signature', () => ({ headers: { 'service-signature': 'v1=abc' } }), 'malformed_header', false],
];

test.each(REFUSED)(
  'refuses %s, logs and records why, and checks its job only if it is authentic',
  async (...row) => {
    const [, make, reason, isLooked] = row;
    const lines: string[] = [];
    const web = await useWeb({ log: recordingLogger(lines) });
    const notes: WireNote[] = [];
    using watched = watchWire((note) => notes.push(note));
    expect(watched).toBeDefined();
    const { body = deliveryBody(), headers = {} } = make(web);

    const answer = await post(web, { body, headers });

    expect(answer.statusCode).toBe(401);
    expect(await stored(web)).toEqual([]);
    const job = await findJob(web.db.kysely, 'job_known');
    expect([job?.due_at_ms === web.clock.now(), web.nudges()]).toEqual(isLooked ? [true, 1] : [false, 0]);
    expect(notes).toMatchObject([{ status: 'refused', detail: { reason, bytes: body.length } }]);
    expect(lines).toEqual([expect.stringContaining(`reason: '${reason}', count: 1`)]);
  },
);

test('refuses everything while no secret is configured', async () => {
  const lines: string[] = [];
  const web = await useWeb({ secrets: [], log: recordingLogger(lines) });
  const body = deliveryBody();

  expect((await post(web, { body, headers: signedHeaders(body, seconds(web), '') })).statusCode).toBe(401);
  expect(lines).toEqual([expect.stringContaining('no_secret')]);
});

test('logs refused deliveries that it only counted when it closes', async () => {
  const lines: string[] = [];
  const web = await useWeb({ log: recordingLogger(lines) });
  for (let count = 0; count < 4; count++) await post(web, { headers: {} });
  expect(lines).toHaveLength(1);

  await web.app.close();

  expect(lines).toEqual([expect.stringContaining('count: 1 '), expect.stringContaining('count: 3 ')]);
  expect(web.clock.pendingTimers).toBe(0);
});

describe('a delivery that cannot be stored now', () => {
  test('is answered with 503 and no line in the log if too many wait', async () => {
    const lines: string[] = [];
    const web = await useWeb({ log: recordingLogger(lines) });
    const receive = async (index: number): Promise<unknown> => {
      const deliveryId = `dlv_${index}_of_many`;
      const path = { serviceJobId: 'srv_0', callbackToken: 'cb_nobodys_path' };
      return web.inbox
        .receive({ deliveryId, ...path, body: Buffer.alloc(0) })
        .catch((error: unknown) => error);
    };
    const flood: Promise<unknown>[] = [];
    // While the transaction blocks all writes, the first deliveries are in progress and the others wait.
    const answer = await web.db.transaction('rows', async () => {
      for (let index = 0; index < 300; index++) flood.push(receive(index));
      await setImmediate();
      await setImmediate();
      for (let index = 300; index < 6_000; index++) flood.push(receive(index));
      return post(web);
    });

    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: { code: 'unavailable' } });
    expect(lines).toEqual([]);
    const full = (await Promise.all(flood)).filter((outcome) => outcome instanceof BatcherFull);
    expect(full.length).toBeGreaterThan(0);
    expect((await post(web)).statusCode).toBe(200);
  });

  test('is answered with 500, logged once and recorded as failed when the database is unavailable', async () => {
    const lines: string[] = [];
    const web = await useWeb({ log: recordingLogger(lines) });
    const notes: WireNote[] = [];
    using watched = watchWire((note) => notes.push(note));
    expect(watched).toBeDefined();
    await web.db[Symbol.asyncDispose]();

    const answer = await post(web);

    expect(answer.statusCode).toBe(500);
    expect(lines).toEqual([expect.stringContaining('the sender will repeat it')]);
    expect(notes).toMatchObject([
      { source: 'webhook', what: 'POST /webhooks/:callback', status: 'failed', useId: null },
    ]);
  });
});
