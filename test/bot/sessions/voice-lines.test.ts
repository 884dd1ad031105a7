import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { FakeClock } from '../../helpers/fake-clock.ts';
import type { WireBalance } from '../../../src/media-api/wire.ts';
import { type UsedSessions, usageOf, useSessions } from '../../media-server/sessions/use-sessions.ts';
import { LineEar, type SessionBench, aRequest, usePaidSessions } from './use-paid-sessions.ts';
import { FORMAT, useStubService } from './use-stub-service.ts';
import type { CloseReason } from '../../../src/bot/sessions/line-end.ts';
import type { VoiceLine } from '../../../src/bot/sessions/voice-line.ts';

/**
 * Limits for simulated time. Those for requests are never reached, because simulated time may pass while a request
 * takes place.
 */
const TIMELY = {
  api: { limits: { connectMs: 9e6, headersMs: 9e6, totalMs: 9e6 } },
  limits: { beatMs: 5_000, leaseMs: 9e6, marginMs: 1_000, firstLookMs: 1_000, lookMs: 1_000, openMs: 9e6 },
};

interface UsedLines extends UsedSessions {
  readonly bench: SessionBench;
}

/** Creates the embedded service and the bot's books, in the same simulated time. */
async function useLines(): Promise<UsedLines> {
  const service = await useSessions();
  const { clock, server } = service;
  const bench = await usePaidSessions(
    { baseUrl: server.baseUrl },
    { clock, api: { ...TIMELY.api, apiKey: server.apiKey }, sessions: { limits: TIMELY.limits } },
  );
  return { ...service, bench };
}

/** Advances the clock slowly enough that pings are answered and have their effects. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 2_500) {
    await clock.advance(Math.min(left, 2_500));
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

/** Waits until the session's charge is known, and returns it in micro-dollars. */
async function chargeOf({ clock, bench }: UsedLines, id: string): Promise<number> {
  return vi.waitFor(
    async () => {
      await clock.advance(1_000);
      const { state, charged_micros: charged } = await bench.row(id);
      assert.equal(state, 'settled');
      return charged ?? NaN;
    },
    { timeout: 10_000, interval: 20 },
  );
}

test('a line converts speech, is metered as the service meters it, and costs what the service charges', async () => {
  const used = await useLines();
  const { clock, bench, api } = used;
  const line = await bench.sessions.voice.open(aRequest());
  expect(line).toMatchObject({ sampleRateHz: 48_000, chunkFrames: 960 });
  expect(line.standing).toEqual({ meteredMs: 0, quietMs: 0, leftMs: 59_000, estimate: 0, held: 60_000 });
  const ear = new LineEar(line);
  await pass(clock, 5_000);
  await ear.speak(Int16Array.of(1, -2, 300));
  expect(ear.samples).toEqual([-1, 2, -300]);
  await pass(clock, 7_000);
  expect(line.standing).toMatchObject({ meteredMs: 7_000, leftMs: 47_000, estimate: 7_000 });
  await line.close('left');
  await pass(clock, 20_000);
  expect(ear.ends).toEqual([{ kind: 'closed', reason: 'left' }]);
  expect(line.standing).toMatchObject({ meteredMs: 7_000, leftMs: 0 });
  expect(await chargeOf(used, line.id)).toBe(7_000);
  const row = await bench.row();
  expect(row).toMatchObject({
    end_reason: 'left',
    metered_ms: 7_000,
    usage_reason: null,
    voice_id: 'mirror',
  });
  expect((await usageOf(api, row.service_session_id ?? ''))?.charged_usd).toBe(0.007);
  expect(await bench.hold(line.id)).toMatchObject({ state: 'posted', charged_micros: 7_000 });
});

test('a line that is connected for most of a minute without speech costs nothing', async () => {
  const used = await useLines();
  const line = await used.bench.sessions.voice.open(aRequest());
  await pass(used.clock, 50_000);
  expect(line.standing).toMatchObject({ meteredMs: 0, estimate: 0 });
  await line.close('idle');
  expect(await chargeOf(used, line.id)).toBe(0);
  expect(await used.bench.row()).toMatchObject({ usage_reason: 'no_stream' });
  expect(await used.bench.hold(line.id)).toMatchObject({ state: 'voided' });
});

test('the bot closes a line at the granted limit, before the service has to', async () => {
  const used = await useLines();
  const { clock, bench, api } = used;
  const line = await bench.sessions.voice.open(aRequest());
  const ear = new LineEar(line);
  await ear.speak();
  await pass(clock, 58_000);
  expect(line.standing.leftMs).toBe(1_000);
  expect(ear.ends).toEqual([]);
  await pass(clock, 1_000);
  await vi.waitFor(() => expect(ear.ends).toEqual([{ kind: 'granted' }]));
  expect(line.send(Int16Array.of(1))).toBe(false);
  expect(await chargeOf(used, line.id)).toBe(59_000);
  const row = await bench.row();
  expect(row).toMatchObject({ end_reason: 'granted', metered_ms: 59_000 });
  expect(await usageOf(api, row.service_session_id ?? '')).toMatchObject({ reason: null });
});

test('a line that is cut off is over, and the next one is a new session with its own hold', async () => {
  const used = await useLines();
  const { bench, clock, voices } = used;
  const line = await bench.sessions.voice.open(aRequest());
  const ear = new LineEar(line);
  await ear.speak();
  await pass(clock, 3_000);
  voices.fault = new Error('The engine failed');
  line.send(Int16Array.of(5));
  await vi.waitFor(() => expect(ear.ends).toEqual([{ kind: 'lost', code: 1011 }]));
  voices.fault = undefined;
  const next = await bench.sessions.voice.open(aRequest());
  expect(next.id).not.toBe(line.id);
  await new LineEar(next).speak();
  await next.close('stopped');
  await chargeOf(used, line.id);
  await chargeOf(used, next.id);
  expect(await bench.row(line.id)).toMatchObject({ end_reason: 'lost' });
  expect(await bench.row(next.id)).toMatchObject({ end_reason: 'stopped' });
  expect(await bench.holds()).toHaveLength(2);
});

test('a line can be opened while the line that it replaces is open', async () => {
  const used = await useLines();
  const { bench, clock } = used;
  const first = new LineEar(await bench.sessions.voice.open(aRequest()));
  await first.speak();
  await pass(clock, 50_000);
  const second = new LineEar(await bench.sessions.voice.open(aRequest()));
  expect(await bench.left()).toBeCloseTo(10 - 0.12);
  await Promise.all([first.speak(), second.speak()]);
  await first.line.close('replaced');
  await pass(clock, 2_000);
  await second.speak();
  await second.line.close('left');
  const charges = [await chargeOf(used, first.line.id), await chargeOf(used, second.line.id)];
  expect(charges).toEqual([50_000, 2_000]);
});

test('a line continues if the budget does not allow another one', async () => {
  const used = await useLines();
  const { bench, clock, server } = used;
  const poor = await usePaidSessions(
    { baseUrl: server.baseUrl },
    {
      budget: 0.1,
      clock,
      api: { ...TIMELY.api, apiKey: server.apiKey },
      sessions: { limits: TIMELY.limits },
    },
  );
  expect(bench.database).not.toBe(poor.database);
  const ear = new LineEar(await poor.sessions.voice.open(aRequest()));
  await ear.speak();
  await expect(poor.sessions.voice.open(aRequest())).rejects.toMatchObject({ code: 'refused' });
  await pass(clock, 10_000);
  await ear.speak();
  expect(ear.ends).toEqual([]);
  await ear.line.close('left');
});

test('disposing closes every socket at once, and the service bills no further', async () => {
  const used = await useLines();
  const { bench, clock } = used;
  const ears = await Promise.all(
    ['1', '2', '3'].map(async (userId) => new LineEar(await bench.sessions.voice.open(aRequest({ userId })))),
  );
  await Promise.all(ears.map((ear) => ear.speak()));
  await pass(clock, 4_000);
  await bench.sessions[Symbol.asyncDispose]();
  expect(ears.map(({ ends }) => ends)).toEqual(ears.map(() => [{ kind: 'closed', reason: 'shutdown' }]));
  expect((await bench.rows()).map(({ state }) => state)).toEqual(['ended', 'ended', 'ended']);
  await expect(bench.sessions.voice.open(aRequest())).rejects.toMatchObject({ code: 'unreachable' });
  await pass(clock, 30_000);
  const records = await Promise.all(
    (await bench.rows()).map(({ service_session_id: id }) => usageOf(used.api, id ?? '')),
  );
  expect(records.map((record) => record?.charged_usd)).toEqual([0.004, 0.004, 0.004]);
});

test('disposing takes seconds at most, even if the service no longer answers', async () => {
  const service = await useStubService({}, (stream) => {
    stream.socket.send(FORMAT);
    setImmediate(() => stream.stall());
  });
  const bench = await usePaidSessions(service);
  const ears = await Promise.all(
    ['1', '2', '3'].map(async (userId) => new LineEar(await bench.sessions.voice.open(aRequest({ userId })))),
  );
  service.onOpen(() => undefined);
  const late = bench.sessions.voice.open(aRequest()).catch((error: unknown) => error);
  await vi.waitFor(async () => expect(await bench.rows()).toHaveLength(4));
  const startedAt = performance.now();
  await bench.sessions[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(await late).toMatchObject({ code: 'unreachable' });
  expect(ears.every(({ ends }) => ends.length === 1)).toBe(true);
  const states = Object.groupBy(await bench.rows(), ({ state }) => state);
  expect(states).toMatchObject({ ended: { length: 3 }, settled: { length: 1 } });
});

interface Spoken {
  readonly quietMs: number;
  readonly speakMs: number;
  readonly isSilent: boolean;
  readonly reason: CloseReason;
}

const spoken = fc.record<Spoken>({
  quietMs: fc.integer({ min: 0, max: 30_000 }),
  speakMs: fc.integer({ min: 0, max: 70_000 }),
  isSilent: fc.boolean(),
  reason: fc.constantFrom('left', 'opted_out', 'moderated', 'idle', 'channel_lost'),
});

test('metered time never exceeds open time, nor open time the grant, and the books agree with the account', async () => {
  const used = await useLines();
  const { bench, clock, api } = used;
  const balance = async (): Promise<number> => ((await api.get('/balance')).json as WireBalance).balance_usd;
  const before = await balance();
  const standings: VoiceLine['standing'][] = [];
  await fc.assert(
    fc.asyncProperty(spoken, async ({ quietMs, speakMs, isSilent, reason }) => {
      const line = await bench.sessions.voice.open(aRequest());
      const openedMs = clock.now();
      const ear = new LineEar(line);
      await pass(clock, quietMs);
      if (!isSilent) await ear.speak();
      await pass(clock, speakMs);
      const openMs = (ear.ends.length === 0 ? clock.now() : Infinity) - openedMs;
      await line.close(reason);
      const { meteredMs, estimate, held } = line.standing;
      standings.push(line.standing);
      expect(meteredMs).toBeLessThanOrEqual(Math.min(openMs, 59_000));
      expect(meteredMs).toBe(isSilent ? 0 : Math.min(speakMs, 59_000 - quietMs));
      const charged = await chargeOf(used, line.id);
      expect(Math.abs(charged - estimate)).toBeLessThanOrEqual(1_000);
      expect(charged).toBeLessThanOrEqual(held);
    }),
    { numRuns: 12 },
  );
  const charged = (await bench.rows()).reduce((sum, row) => sum + (row.charged_micros ?? NaN), 0);
  expect(charged).toBe(Math.round((before - (await balance())) * 1e6));
  expect(await bench.left()).toBeCloseTo(10 - charged / 1e6, 6);
  expect((await bench.holds()).every(({ state }) => state === 'posted' || state === 'voided')).toBe(true);
  expect(standings.length).toBeGreaterThan(10);
});

test('a service that never sends its format receives nothing, and the bot disconnects', async () => {
  const service = await useStubService({}, () => undefined);
  const bench = await usePaidSessions(service, { sessions: { limits: { formatMs: 200, pingMs: 50 } } });
  await expect(bench.sessions.voice.open(aRequest())).rejects.toMatchObject({ code: 'unreachable' });
  // The bot sent nothing except a close frame.
  expect(Buffer.concat(service.streams[0]?.wire ?? []).subarray(0, 1)).toEqual(Buffer.of(0x88));
  await vi.waitFor(async () => expect((await bench.row()).state).toBe('ended'));
  expect(await bench.row()).toMatchObject({ end_reason: 'no_format', metered_ms: 0 });
});

test.each(['{"sample_rate":1,"chunk_frames":1}', 'not JSON', '{"hello":1}'])(
  '%s is ignored as a format, and the format that follows is used',
  async (text) => {
    const service = await useStubService({}, ({ socket }) => {
      socket.send(text);
      socket.send(FORMAT);
      socket.send('{"note":"something new"}');
      socket.send(Buffer.of(1));
      socket.send(Buffer.of(0, 2, 0, 3));
    });
    const bench = await usePaidSessions(service);
    const line = await bench.sessions.voice.open(aRequest());
    expect(line).toMatchObject({ sampleRateHz: 16_000, chunkFrames: 320 });
    const ear = new LineEar(line);
    service.streams[0]?.socket.send(Buffer.of(0));
    await vi.waitFor(() => expect(ear.samples.at(-1)).toBe(3));
  },
);

test('an end between connecting and the first message fails the opening at once', async () => {
  const service = await useStubService({}, ({ socket }) => socket.close(4_321, 'token expired'));
  const bench = await usePaidSessions(service);
  await expect(bench.sessions.voice.open(aRequest())).rejects.toMatchObject({ code: 'unreachable' });
  await vi.waitFor(async () => expect((await bench.row()).state).toBe('ended'));
});

test('a member who gives up while a line is being opened pays nothing', async () => {
  const service = await useStubService({}, () => undefined);
  const bench = await usePaidSessions(service);
  const leaving = new AbortController();
  const failed = bench.sessions.voice.open(aRequest(), leaving.signal).catch((error: unknown) => error);
  await vi.waitFor(() => expect(service.streams).toHaveLength(1));
  leaving.abort(new Error('left'));
  expect(await failed).toMatchObject({ code: 'unreachable' });
  await vi.waitFor(() => expect(service.streams[0]?.socket.readyState).toBe(3));
});

test('chunks for a service that does not read are dropped, so that memory does not grow', async () => {
  const service = await useStubService({}, (stream) => {
    stream.socket.send(FORMAT);
    setImmediate(() => stream.stall());
  });
  const bench = await usePaidSessions(service);
  const line = await bench.sessions.voice.open(aRequest());
  const chunk = new Int16Array(320);
  let taken = 0;
  for (let sent = 0; sent < 100_000; sent++) {
    if (line.send(chunk)) taken += 1;
    if (sent % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  // The operating system's socket buffers hold only a small part of half an hour of audio.
  expect(taken).toBeLessThan(50_000);
  expect(line.send(chunk)).toBe(false);
  await line.close('stopped');
});

test('neither tokens nor addresses of sessions are logged', async () => {
  const service = await useStubService({}, ({ socket }) => socket.close(1011));
  const bench = await usePaidSessions(service);
  await expect(bench.sessions.voice.open(aRequest())).rejects.toThrow();
  await vi.waitFor(() => expect(bench.logged.join('\n')).toContain('A paid session ended'));
  service.onOpen((_request, response) => void response.end('{"session_token":"the-token-that-is-secret"}'));
  const error: unknown = await bench.sessions.voice.open(aRequest()).catch((failed: unknown) => failed);
  expect(`${bench.logged.join('\n')} ${inspect(error, { depth: 20 })}`).not.toMatch(/secret|region=eu/);
});
