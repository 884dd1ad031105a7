import { expect, test, vi } from 'vitest';
import { micros, parseUsd } from '../../../src/base/money.ts';
import type { SessionCapability } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../api-client.ts';
import { useDatabase } from '../use-database.ts';
import { useReceiver } from '../use-receiver.ts';
import { useServer } from '../use-server.ts';
import { FULL, WARMING } from './stream-engines.ts';
import { balanceOf, openLive, openVoice, settled, useSessions } from './use-sessions.ts';

const LIVE = '/full-live-swap/session';
const VOICE = '/voice/session';
const PATHS: readonly (readonly [string, SessionCapability])[] = [
  [LIVE, 'live_swap_pro'],
  [VOICE, 'voice_swap'],
];
const MINUTE = { duration_minutes: 1 };

function refused(status: number, code: string): object {
  return { status, json: { error: { code, message: expect.stringMatching(/./) } } };
}

test.each<readonly [string, object, number]>([
  [LIVE, { duration_minutes: 1 }, 200],
  [LIVE, { duration_minutes: 240 }, 200],
  [LIVE, {}, 400],
  [LIVE, { duration_minutes: 0 }, 400],
  [LIVE, { duration_minutes: 241 }, 400],
  [LIVE, { duration_minutes: 1.5 }, 400],
  [LIVE, { duration_minutes: '10' }, 400],
  [LIVE, { duration_minutes: null }, 400],
  [LIVE, { ...MINUTE, prompt: 'x'.repeat(2_000) }, 200],
  [LIVE, { ...MINUTE, prompt: '😀'.repeat(2_000) }, 200],
  [LIVE, { ...MINUTE, prompt: 'x'.repeat(2_001) }, 400],
  [LIVE, { ...MINUTE, prompt: 7 }, 400],
  [LIVE, { ...MINUTE, more: 'ignored' }, 200],
  [VOICE, {}, 200],
  [VOICE, { duration_minutes: 120 }, 200],
  [VOICE, { duration_minutes: 121 }, 400],
  [VOICE, { duration_minutes: 0 }, 400],
  [VOICE, { duration_minutes: '10' }, 400],
  [VOICE, { voice_profile_id: 'mirror' }, 200],
  [VOICE, { voice_profile_id: 'unknown' }, 400],
  [VOICE, { voice_profile_id: '' }, 400],
  [VOICE, { voice_profile_id: 1 }, 400],
])('%s with %j answers %i', async (path, body, status) => {
  const { api } = await useSessions({ openingBalance: parseUsd('100') });
  const answer = await api.post(path, body);
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer).toMatchObject(refused(400, 'invalid_input'));
});

test('a voice session needs no body, but a body must be an object', async () => {
  const { api } = await useSessions();
  expect((await api.request(VOICE, { method: 'POST' })).json).toMatchObject({ max_duration_sec: 600 });
  expect(await api.request(LIVE, { method: 'POST' })).toMatchObject(refused(400, 'invalid_input'));
  for (const body of ['null', '[]', '7', '{']) {
    expect(await api.post(VOICE, body)).toMatchObject(refused(400, 'invalid_input'));
  }
});

test('an idempotency key has no effect: two opens are two sessions', async () => {
  const { api } = await useSessions();
  for (const [path] of PATHS) {
    const key = { 'idempotency-key': 'same' };
    const answers = [await api.post(path, MINUTE, key), await api.post(path, MINUTE, key)];
    const ids = answers.map(({ json }) => (json as { session_id: string }).session_id);
    expect(new Set(ids).size).toBe(2);
  }
});

test('an open debits nothing, and its block is reserved until the session ends', async () => {
  const { api, clock, server } = await useSessions({ openingBalance: parseUsd('1') });
  const session = await openVoice(api, { duration_minutes: 15 });
  expect([session.max_cost_usd, await balanceOf(api)]).toEqual([0.9, 1]);
  expect(await api.post(VOICE, { duration_minutes: 2 })).toMatchObject(refused(402, 'insufficient_balance'));
  expect(await api.post(LIVE, MINUTE)).toMatchObject(refused(402, 'insufficient_balance'));
  await openVoice(api, MINUTE);
  const rate = { rate: micros(1), minimum: micros(1), hold: parseUsd('0.05') };
  server.admin.setRate('photo_swap', rate);
  const body = await api.photoSwapBody();
  expect(await api.post('/face-swap-image', body)).toMatchObject(refused(402, 'insufficient_balance'));
  await clock.advance(60_000);
  expect((await api.post('/face-swap-image', body)).status).toBe(200);
  expect(await settled(api, session)).toMatchObject({ charged_usd: 0, reason: 'no_stream' });
});

test('the money of an open hold is not available to sessions', async () => {
  const { api, photos } = await useSessions({ openingBalance: parseUsd('0.10') });
  photos.pause();
  const { id } = await api.submit(await api.photoSwapBody());
  expect(await api.post(VOICE, MINUTE)).toMatchObject(refused(402, 'insufficient_balance'));
  photos.release();
  await api.ended(id);
  await openVoice(api, MINUTE);
});

test('parallel opens cannot use the same money', async () => {
  const { api } = await useSessions({ openingBalance: parseUsd('0.42') });
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(VOICE, MINUTE)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
  expect(answers.filter(({ status }) => status === 402)).toHaveLength(13);
});

test.each(PATHS)('%s beyond its ceiling is at_capacity, which administrators set', async (path, feature) => {
  const { api, server } = await useSessions({ liveSessionsMax: 2, voiceSessionsMax: 2 });
  const open = async (): Promise<number> => (await api.post(path, MINUTE)).status;
  expect([await open(), await open(), await open()]).toEqual([200, 200, 429]);
  expect(await api.post(path, MINUTE)).toMatchObject(refused(429, 'at_capacity'));
  server.admin.setCeiling(3, feature === 'live_swap_pro' ? 'liveSessionsMax' : 'voiceSessionsMax');
  expect([await open(), await open()]).toEqual([200, 429]);
  const [other] = PATHS.filter(([, name]) => name !== feature);
  expect((await api.post(other?.[0] ?? '', MINUTE)).status).toBe(200);
});

test.each(PATHS)('a disabled %s is capability_unavailable, and nothing else is', async (path, feature) => {
  const { api, server } = await useSessions();
  expect(server.admin.switchCapability(feature, false)).toBe(true);
  expect(await api.post(path, MINUTE)).toMatchObject(refused(400, 'capability_unavailable'));
  for (const [other] of PATHS) if (other !== path) expect((await api.post(other, MINUTE)).status).toBe(200);
  server.admin.switchCapability(feature, true);
  expect((await api.post(path, MINUTE)).status).toBe(200);
});

test('without engines sessions are capability_unavailable, and there are no voices', async () => {
  const { api } = await useServer();
  for (const [path] of PATHS) {
    expect(await api.post(path, MINUTE)).toMatchObject(refused(400, 'capability_unavailable'));
  }
  expect((await api.get('/voices')).json).toEqual([]);
});

test.each([
  [FULL, 'capacity_unavailable'],
  [WARMING, 'capacity_warming'],
])('an engine that reports %s fails the open, and leaves no trace of it', async (error, code) => {
  const { api, voices, faces, dataDir } = await useSessions();
  const database = useDatabase(dataDir);
  voices.refusal = faces.refusal = error;
  const profile = { ...MINUTE, voice_profile_id: 'mirror' };
  expect(await api.post(VOICE, profile)).toMatchObject(refused(502, code));
  expect(await api.post(LIVE, MINUTE)).toMatchObject(refused(502, code));
  expect([database.count('sessions'), await balanceOf(api)]).toEqual([0, 25]);
  voices.refusal = faces.refusal = undefined;
  expect((await api.post(VOICE, profile)).status).toBe(200);
  expect((await api.post(LIVE, MINUTE)).status).toBe(200);
});

test('an engine that offers no place in time is capacity_unavailable, and a late place is released', async () => {
  const used = await useSessions();
  const { api, clock, faces } = used;
  let give: () => void = () => undefined;
  const open = faces.open.bind(faces);
  const asked = new Promise<void>((resolve) => {
    faces.open = async (options) => {
      resolve();
      await new Promise<void>((go) => (give = go));
      return await open(options);
    };
  });
  const answer = api.post(LIVE, MINUTE);
  await asked;
  await clock.advance(30_000);
  expect(await answer).toMatchObject(refused(502, 'capacity_unavailable'));
  give();
  await vi.waitFor(() => expect([faces.opened.length, faces.taken]).toEqual([1, 0]));
});

test('a refused open that the database cannot delete is still reported as refused, and deleted as soon as possible', async () => {
  const { api, clock, voices, dataDir } = await useSessions({ voiceSessionsMax: 1 });
  const database = useDatabase(dataDir);
  const profile = { ...MINUTE, voice_profile_id: 'mirror' };
  voices.refusal = FULL;
  database.exec(
    "CREATE TRIGGER fault BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'disk fault'); END",
  );
  expect(await api.post(VOICE, profile)).toMatchObject(refused(502, 'capacity_unavailable'));
  voices.refusal = undefined;
  expect(await api.post(VOICE, profile)).toMatchObject(refused(429, 'at_capacity'));
  database.exec('DROP TRIGGER fault');
  await clock.advance(1_000);
  expect((await api.post(VOICE, profile)).status).toBe(200);
});

test('a fault while a session is stored is a 500 that takes no place', async () => {
  const { api, faces, dataDir } = await useSessions();
  const database = useDatabase(dataDir);
  const fault = (event: string): void =>
    database.exec(`CREATE TRIGGER fault BEFORE ${event} BEGIN SELECT RAISE(ABORT, 'disk fault'); END`);
  for (const event of ['INSERT ON sessions', "UPDATE OF tokenHash ON sessions WHEN NEW.state = 'ready'"]) {
    fault(event);
    expect(await api.post(LIVE, MINUTE)).toMatchObject(refused(500, 'internal_error'));
    database.exec('DROP TRIGGER fault');
  }
  await vi.waitFor(() => expect(faces.taken).toBe(0));
  expect(database.all('SELECT 1 FROM sessions WHERE endedAt IS NULL')).toEqual([]);
});

test('checks run in order: key, rate, body, switch, ceiling, balance', async () => {
  const { server } = await useSessions({ requestsPerMinute: 5, voiceSessionsMax: 1 });
  const accountId = server.admin.createAccount('Poor');
  const poor = new ApiClient(server.baseUrl, server.admin.createKey({ name: 'P', accountId }).text);
  const bad = { duration_minutes: 'x' };
  expect(await new ApiClient(server.baseUrl, 'mk_wrong').post(VOICE, bad)).toMatchObject(
    refused(401, 'unauthorized'),
  );
  expect(await poor.post(VOICE, MINUTE)).toMatchObject(refused(402, 'insufficient_balance'));
  const { api } = { api: new ApiClient(server.baseUrl, server.apiKey) };
  await openVoice(api);
  expect(await poor.post(VOICE, MINUTE)).toMatchObject(refused(429, 'at_capacity'));
  server.admin.switchCapability('voice_swap', false);
  expect(await poor.post(VOICE, MINUTE)).toMatchObject(refused(400, 'capability_unavailable'));
  expect(await poor.post(VOICE, bad)).toMatchObject(refused(400, 'invalid_input'));
  expect((await poor.get('/balance')).status).toBe(200);
  expect(await poor.post(VOICE, bad)).toMatchObject(refused(429, 'rate_limited'));
});

test('a negotiated rate determines the block, and a later change does not affect it', async () => {
  const { api, server } = await useSessions();
  const [account] = server.admin.listAccounts();
  const rate = { rate: micros(7), minimum: micros(0), hold: micros(0) };
  server.admin.setRate('voice_swap', rate, account?.id);
  const session = await openVoice(api, { duration_minutes: 1 });
  expect(session.max_cost_usd).toBe(0.000007);
  server.admin.setRate('live_swap_pro', { ...rate, rate: parseUsd('6') });
  expect((await openLive(api)).max_cost_usd).toBe(6);
});

test('a session can be stopped only through its socket, and no session is announced by webhook', async () => {
  const { api, clock } = await useSessions();
  const receiver = await useReceiver();
  const session = await openVoice(api, { callback_url: receiver.url });
  for (const path of [`/voice/session/${session.session_id}`, VOICE, `/stream/${session.session_id}`]) {
    expect(await api.request(path, { method: 'DELETE' })).toMatchObject(refused(404, 'not_found'));
  }
  await clock.advance(60_000);
  await settled(api, session);
  expect(receiver.received).toEqual([]);
});

test.each([
  ['http://media.test', 'ws://media.test/api/v1/stream/'],
  ['https://media.test/', 'wss://media.test/api/v1/stream/'],
])('under the public address %s streams are at %s', async (publicUrl, prefix) => {
  const { api } = await useSessions({ publicUrl });
  const { stream_url, session_id } = await openVoice(api);
  expect(stream_url).toBe(`${prefix}${session_id}`);
});
