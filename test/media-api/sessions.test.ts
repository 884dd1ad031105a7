import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { SessionTicket } from '../../src/media-api/session-ticket.ts';
import { type Reply, drop, json, refuse, text, useClient, useStubApi } from './use-stub-api.ts';

const OPENED = {
  session_id: 'ses_1',
  stream_url: 'ws://127.0.0.1:9/stream/1?x=1&y=a%20b',
  session_token: 'a+/=& b',
  max_duration_sec: 300,
  max_cost_usd: 0.3,
};
const opened = json(200, OPENED);
const VOICE = { minutes: 5, voiceId: 'mirror' };

/** Long limits, because simulated time runs ahead of the real events. */
const PATIENT = { connectMs: 9e6, headersMs: 9e6, totalMs: 9e6 };

test('an open of a voice session sends this request, without an idempotency key', async () => {
  const stub = await useStubApi(opened);
  const api = useClient(stub);
  await api.sessions.openVoice(VOICE);
  await api.sessions.openVoice({ minutes: 10, voiceId: null });
  const [first, second] = stub.received;
  expect(first).toMatchObject({ method: 'POST', url: '/api/v1/voice/session' });
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer key-of-the-test',
  });
  expect(first?.headers).not.toHaveProperty('idempotency-key');
  expect(JSON.parse(String(first?.body))).toEqual({ duration_minutes: 5, voice_profile_id: 'mirror' });
  expect(JSON.parse(String(second?.body))).toEqual({ duration_minutes: 10 });
});

test('an open of a live session sends the duration, and returns the prompt of the answer', async () => {
  const stub = await useStubApi(json(200, { ...OPENED, prompt: 'the usual face' }));
  const api = useClient(stub);
  expect((await api.sessions.openLive({ minutes: 240 })).prompt).toBe('the usual face');
  await api.sessions.openLive({ minutes: 1, prompt: 'an elf' });
  expect(stub.received.map(({ url, body }) => [url, JSON.parse(String(body))])).toEqual([
    ['/api/v1/full-live-swap/session', { duration_minutes: 240 }],
    ['/api/v1/full-live-swap/session', { duration_minutes: 1, prompt: 'an elf' }],
  ]);
});

test.each([0, 121, 1.5, NaN])('%s minutes of a voice session are rejected by the client', async (minutes) => {
  const stub = await useStubApi(opened);
  const api = useClient(stub);
  expect(() => api.sessions.openVoice({ minutes, voiceId: null })).toThrow(RangeError);
  expect(() => api.sessions.openLive({ minutes: minutes * 2.1 })).toThrow(RangeError);
  expect(stub.arrivals()).toBe(0);
});

test('the token is appended by the rules of URLs, and neither it nor the address is shown', async () => {
  const api = useClient(await useStubApi(opened));
  const ticket = await api.sessions.openVoice(VOICE);
  expect(ticket.address().href).toBe('ws://127.0.0.1:9/stream/1?x=1&y=a%20b&session_token=a%2B%2F%3D%26%20b');
  expect(ticket.address().searchParams.get('session_token')).toBe('a+/=& b');
  expect(ticket).toMatchObject({ id: 'ses_1', grantedSeconds: 300, maxCost: 300_000, prompt: null });
  const shown = `${JSON.stringify(ticket)} ${inspect(ticket, { depth: 9, showHidden: true })}`;
  expect(shown).not.toMatch(/stream|token|a\+|a%2B/i);
});

test('numbers may be strings, amounts may have any decimal form, and unknown fields are ignored', () => {
  const ticket = SessionTicket.read(
    { ...OPENED, max_duration_sec: '90.7', max_cost_usd: '9e-2', prompt: 5, region: 'x' },
    { allowInsecure: false },
  );
  expect(ticket).toMatchObject({ grantedSeconds: 90, maxCost: 90_000, prompt: null });
});

test.each([
  ['a wss address', 'wss://media.example/s', true],
  ['plain ws on this machine', 'ws://[::1]:80/s', true],
  ['plain ws on another machine', 'ws://media.example/s', false],
  ['another scheme', 'https://media.example/s', false],
  ['a user name in the address', 'wss://me:secret@media.example/s', false],
  ['no address', 'stream', false],
])('%s is used: %s %s', (_name, stream_url, isUsed) => {
  const read = (allowInsecure: boolean): URL =>
    SessionTicket.read({ ...OPENED, stream_url }, { allowInsecure }).address();
  if (isUsed) expect(read(false).searchParams.get('session_token')).toBe('a+/=& b');
  else expect(() => read(false)).toThrow();
  if (stream_url.startsWith('ws://')) expect(read(true).protocol).toBe('ws:');
});

test.each([
  ['a missing answer', drop],
  ['a fault of the service', refuse(500, 'internal_error')],
  ['a partial answer', text(200, '{"session_id": "s')],
])('%s leads to exactly one further attempt', async (_name, reply) => {
  const stub = await useStubApi(reply, opened);
  expect((await useClient(stub).sessions.openVoice(VOICE)).id).toBe('ses_1');
  expect(stub.arrivals()).toBe(2);
  const broken = await useStubApi(reply);
  await expect(useClient(broken).sessions.openVoice(VOICE)).rejects.toMatchObject({ ambiguous: true });
  expect(broken.arrivals()).toBe(2);
});

test.each([
  ['insufficient_balance', 402, 1, 'never'],
  ['invalid_input', 400, 1, 'never'],
  ['capability_unavailable', 400, 1, 'never'],
  ['capacity_unavailable', 502, 1, 'soon'],
  ['capacity_warming', 502, 1, 'warming'],
  ['at_capacity', 429, 3, 'soon'],
  ['internal_error', 502, 2, 'service_fault'],
])('%s is recognised after %s: %s attempts', async (code, status, tries, retry) => {
  const clock = new FakeClock();
  const stub = await useStubApi(refuse(status, code));
  const opening = useClient(stub, { clock, limits: PATIENT })
    .sessions.openVoice(VOICE)
    .catch((error: unknown) => error);
  await until(clock, () => stub.received.length === tries);
  expect(await settledOf(clock, opening)).toMatchObject({ status, code, retry });
  expect(stub.received).toHaveLength(tries);
});

test('the place of a session that may have been left open is waited for, for more than a minute', async () => {
  const clock = new FakeClock();
  const full: Reply = (...call) =>
    clock.now() < startMs + 61_000 ? refuse(429, 'at_capacity')(...call) : opened(...call);
  const startMs = clock.now();
  const stub = await useStubApi(drop, full);
  const opening = useClient(stub, { clock, limits: PATIENT }).sessions.openVoice(VOICE);
  expect((await settledOf(clock, opening)) as object).toMatchObject({ id: 'ses_1' });
  expect(clock.now() - startMs).toBeGreaterThan(60_000);
  expect(clock.now() - startMs).toBeLessThan(90_000);
});

test('the wait for a place ends when the caller aborts', async () => {
  const stub = await useStubApi(drop, refuse(429, 'at_capacity'));
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = useClient(stub)
    .sessions.openVoice(VOICE, { signal })
    .catch((error: unknown) => error);
  await vi.waitFor(() => expect(stub.received).toHaveLength(1));
  stopping.abort();
  expect(await ended).toMatchObject({ code: 'aborted', ambiguous: true });
});

/** Advances the time until `isDone` returns true. */
async function until(clock: FakeClock, isDone: () => boolean): Promise<void> {
  await vi.waitFor(
    async () => {
      await clock.advance(500);
      expect(isDone()).toBe(true);
    },
    { interval: 2, timeout: 10_000 },
  );
}

async function settledOf(clock: FakeClock, work: Promise<unknown>): Promise<unknown> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  await until(clock, () => isOver);
  return over;
}
