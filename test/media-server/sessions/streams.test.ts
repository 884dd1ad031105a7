import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { micros, parseUsd } from '../../../src/base/money.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { useDatabase } from '../use-database.ts';
import { connectStream, refusal, streamUrl } from './stream-client.ts';
import {
  advanceAlive,
  balanceOf,
  openLive,
  openVoice,
  settled,
  streamingVoice,
  usageOf,
  useSessions,
} from './use-sessions.ts';

const UNAUTHORIZED = { error: { code: 'unauthorized', message: expect.any(String) } };

test('a wrong, used, expired or missing token is refused before the upgrade, always in the same way', async () => {
  const { api, clock } = await useSessions();
  const [session, other, expired] = [await openVoice(api), await openVoice(api), await openVoice(api)];
  const used = await connectStream(session);
  await connectStream(other);
  const third = await openVoice(api);
  const wrong = [
    streamUrl(session),
    `${third.stream_url}?session_token=${expired.session_token}`,
    `${third.stream_url}?session_token=`,
    third.stream_url,
    `${third.stream_url.replace(/ses_.*/, 'ses_unknown')}?session_token=${third.session_token}`,
  ];
  const refusals = [];
  for (const url of wrong) refusals.push(await refusal(url));
  await clock.advance(60_000);
  refusals.push(await refusal(streamUrl(expired)));
  for (const { status, body } of refusals) expect([status, body]).toEqual([401, UNAUTHORIZED]);
  expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
  expect(used.socket.readyState).toBe(used.socket.OPEN);
});

test('the token is stored as a hash only', async () => {
  const { api, dataDir } = await useSessions();
  const { session_token: token } = await openVoice(api);
  const rows = JSON.stringify(useDatabase(dataDir).all('SELECT *, hex(tokenHash) AS hash FROM sessions'));
  expect(rows).toContain('"hash":');
  expect(rows).not.toContain(token);
});

test('one of several simultaneous connections with one token is admitted', async () => {
  const { api } = await useSessions();
  const session = await openVoice(api);
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => connectStream(session)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a request that is not a handshake, and a stream that does not exist, get the envelope and use up no token', async () => {
  const { api, server } = await useSessions();
  const session = await openVoice(api);
  const path = streamUrl(session).replace(/^ws:\/\/[^/]*/, '');
  const speak = (lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write([...lines, '', ''].join('\r\n')));
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  const upgrade = ['host: x', 'connection: upgrade'];
  const posted = await speak([`POST ${path} HTTP/1.1`, ...upgrade, 'upgrade: websocket']);
  const keyless = await speak([`GET ${path} HTTP/1.1`, ...upgrade, 'upgrade: websocket']);
  for (const answer of [posted, keyless]) {
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'invalid_input' } });
  }
  expect(await refusal(`${server.baseUrl.replace('http', 'ws')}/balance`)).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  });
  expect((await api.get(`/stream/${session.session_id}`)).status).toBe(404);
  await connectStream(session);
});

test('a client that offers HTTP/2 over plain HTTP is answered as if it had not', async () => {
  const { server } = await useSessions();
  const offer = {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAAQAAP__',
  };
  const asked = request(`${server.baseUrl}/pricing`, { headers: offer }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect([answer.statusCode, await json(answer)]).toMatchObject([200, { currency: 'USD' }]);
});

test('a ping is answered with its payload', async () => {
  const { api } = await useSessions();
  const { socket } = await connectStream(await openVoice(api));
  socket.ping('still there?');
  expect(String((await once(socket, 'pong'))[0])).toBe('still there?');
});

test('frames are not compressed, even if a client offers it', async () => {
  const { api } = await useSessions();
  const stream = await connectStream(await openVoice(api), { perMessageDeflate: true });
  expect(stream.socket.extensions).toBe('');
});

test('the meter starts at the first converted frame and stops when the client closes', async () => {
  const { api, clock } = await useSessions();
  const session = await openVoice(api);
  const stream = await connectStream(session);
  await advanceAlive(clock, 20_000);
  stream.send(Buffer.alloc(960));
  await stream.binary(1);
  expect(await usageOf(api, session.session_id)).toMatchObject({ status: 'processing', charged_usd: 0 });
  await clock.advance(7_000);
  stream.socket.close();
  expect(await settled(api, session)).toMatchObject({
    endpoint: 'voice',
    feature: 'voice_swap',
    status: 'succeeded',
    charged_usd: 0.007,
    reason: null,
  });
  expect(await balanceOf(api)).toBe(24.993);
});

test('a session that connects and never streams costs nothing, however long it stays open', async () => {
  const { api, clock } = await useSessions();
  const session = await openVoice(api, { duration_minutes: 1 });
  const stream = await connectStream(session);
  await advanceAlive(clock, 60_000);
  expect(await stream.closed).toEqual([1000, 'session_limit_reached']);
  expect(await settled(api, session)).toMatchObject({
    status: 'succeeded',
    charged_usd: 0,
    reason: 'no_stream',
  });
});

test('at max_duration_sec the stream is closed and costs the maximum, to the micro-dollar', async () => {
  const { api, clock, server } = await useSessions();
  server.admin.setRate('voice_swap', { rate: micros(100_001), minimum: micros(0), hold: micros(0) });
  const { session, stream } = await streamingVoice(api, { duration_minutes: 2 });
  await advanceAlive(clock, 120_000);
  expect(await stream.closed).toEqual([1000, 'session_limit_reached']);
  expect(await settled(api, session)).toMatchObject({
    status: 'succeeded',
    charged_usd: session.max_cost_usd,
    reason: 'session_limit_reached',
  });
  expect(session.max_cost_usd).toBe(0.200002);
});

test('a session is billed at the rate of its open', async () => {
  const { api, clock, server } = await useSessions();
  const { session, stream } = await streamingVoice(api);
  server.admin.setRate('voice_swap', { rate: parseUsd('9'), minimum: parseUsd('9'), hold: parseUsd('9') });
  await clock.advance(3_000);
  stream.socket.close();
  expect((await settled(api, session)).charged_usd).toBe(0.003);
});

test('a peer that falls silent is given up and settled at its last sign of life', async () => {
  const { api, clock } = await useSessions();
  const { session, stream } = await streamingVoice(api);
  await clock.advance(5_000);
  stream.send(Buffer.alloc(2));
  await stream.binary(2);
  stream.socket.pause();
  await clock.advance(32_000);
  expect(await settled(api, session)).toMatchObject({
    status: 'succeeded',
    charged_usd: 0.005,
    reason: 'timed_out',
  });
});

test('a connection that is cut off is settled at its last sign of life', async () => {
  const { api, clock } = await useSessions();
  const { session, stream } = await streamingVoice(api);
  await clock.advance(4_000);
  stream.send(Buffer.alloc(2));
  await stream.binary(2);
  await clock.advance(3_000);
  stream.socket.terminate();
  expect(await settled(api, session)).toMatchObject({ charged_usd: 0.004, reason: null });
});

test('a session to which nobody connects frees its place and its block after a minute', async () => {
  const { api, clock, faces } = await useSessions({ liveSessionsMax: 1 });
  const session = await openLive(api);
  await clock.advance(59_999);
  expect(await usageOf(api, session.session_id)).toMatchObject({ status: 'queued' });
  expect([faces.taken, (await api.post('/full-live-swap/session', { duration_minutes: 1 })).status]).toEqual([
    1, 429,
  ]);
  await clock.advance(1);
  expect(await settled(api, session)).toMatchObject({ status: 'succeeded', reason: 'no_stream' });
  expect(faces.taken).toBe(0);
  await openLive(api);
});

test('a client that does not read is closed with a policy violation', async () => {
  const { api } = await useSessions();
  const { session, stream } = await streamingVoice(api);
  stream.socket.pause();
  const chunk = Buffer.alloc(2 ** 19);
  await vi.waitFor(
    async () => {
      for (let count = 0; count < 4; count++) stream.send(chunk);
      expect((await usageOf(api, session.session_id))?.status).toBe('succeeded');
    },
    { timeout: 10_000 },
  );
  stream.socket.resume();
  expect(await stream.closed).toEqual([1008, 'Converted frames are not read']);
  expect(await settled(api, session)).toMatchObject({ reason: 'cancelled' });
});

test('a client that sends too often, too much or text is closed, and settled', async () => {
  const { api } = await useSessions();
  const many = await streamingVoice(api);
  for (let count = 0; count < 1_001; count++) many.stream.send(Buffer.alloc(2));
  expect(await many.stream.closed).toEqual([1008, 'Too many messages a second']);
  const pinging = await streamingVoice(api);
  for (let count = 0; count < 1_001; count++) pinging.stream.socket.ping();
  expect(await pinging.stream.closed).toEqual([1008, 'Too many messages a second']);
  const large = await streamingVoice(api);
  large.stream.send(Buffer.alloc(2 ** 20 + 1));
  expect((await large.stream.closed)[0]).toBe(1009);
  const text = await streamingVoice(api);
  text.stream.send('hello');
  expect(await text.stream.closed).toEqual([1003, 'Frames are binary']);
  for (const { session } of [many, pinging, large, text]) {
    expect(await settled(api, session)).toMatchObject({ status: 'succeeded', reason: 'cancelled' });
  }
});

test('a session whose end cannot be stored is settled as soon as possible', async () => {
  const { api, clock, dataDir } = await useSessions();
  const database = useDatabase(dataDir);
  const { session, stream } = await streamingVoice(api);
  await clock.advance(5_000);
  database.exec(
    "CREATE TRIGGER fault BEFORE INSERT ON entries WHEN NEW.kind = 'charge' BEGIN SELECT RAISE(ABORT, 'x'); END",
  );
  stream.socket.close();
  await stream.closed;
  await clock.advance(4_000);
  expect(await usageOf(api, session.session_id)).toMatchObject({ status: 'processing', charged_usd: 0 });
  database.exec('DROP TRIGGER fault');
  await clock.advance(1_000);
  expect(await usageOf(api, session.session_id)).toMatchObject({ status: 'succeeded', charged_usd: 0.005 });
});

test('the log never contains tokens or prompts, whatever fails', async () => {
  const lines: string[] = [];
  const { api, clock, faces, dataDir } = await useSessions({ logger: recordingLogger(lines) });
  const session = await openLive(api, { prompt: 'canary prompt' });
  await refusal(`${session.stream_url}?session_token=canary`);
  const stream = await connectStream(session);
  useDatabase(dataDir).exec(
    "CREATE TRIGGER fault BEFORE UPDATE OF charged ON sessions BEGIN SELECT RAISE(ABORT, 'fault'); END",
  );
  faces.fault = new Error('died');
  stream.send(Buffer.from('a canary'));
  expect((await stream.closed)[0]).toBe(1011);
  await clock.advance(1_000);
  const log = lines.join('\n');
  expect(log).toContain('A session failed');
  expect(log).toContain('Cannot settle a session');
  for (const secret of [session.session_token, 'canary']) expect(log.includes(secret)).toBe(false);
});
