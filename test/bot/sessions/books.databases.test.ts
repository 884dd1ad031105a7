import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { micros } from '../../../src/base/money.ts';
import { SessionError } from '../../../src/bot/sessions/session-error.ts';
import type { SpendingGate } from '../../../src/bot/money/ledger/spending-gate.ts';
import { verifyLedger } from '../../../src/bot/money/ledger/verify-ledger.ts';
import { type Reply, drop, refuse } from '../../media-api/use-stub-api.ts';
import { DOLLAR, LineEar, type SessionBench, aRequest, usePaidSessions } from './use-paid-sessions.ts';
import { FORMAT, aRecord, useStubService } from './use-stub-service.ts';

/** Time limits that are never reached, because simulated time runs ahead of real network events. */
const PATIENT = { limits: { connectMs: 9e6, headersMs: 9e6, totalMs: 9e6 } };

async function refusalOf(work: Promise<unknown>): Promise<SessionError> {
  const error = await work.then(
    () => undefined,
    (failed: unknown) => failed,
  );
  if (!(error instanceof SessionError)) throw new TypeError('The session was not refused', { cause: error });
  expect(error.userMessage).toMatch(/\.$/);
  return error;
}

async function expectNothingHeld(bench: SessionBench): Promise<void> {
  expect((await bench.holds()).filter(({ state }) => state !== 'voided')).toEqual([]);
  expect((await bench.rows()).filter(({ state }) => state !== 'settled')).toEqual([]);
  await verifyLedger(bench.database.kysely, (difference) => expect(difference).toBeUndefined());
}

test('a member who cannot pay for a session is refused before the service is asked', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service, { budget: 0.05 });
  const refused = await refusalOf(bench.sessions.voice.open(aRequest()));
  expect(refused).toMatchObject({
    code: 'refused',
    refusal: { by: 'cap', needed: 60_000, cap: { limit: 50_000, left: 50_000 } },
  });
  expect(service.arrivals()).toBe(0);
  expect(await bench.rows()).toEqual([]);
});

test('a session that turns out to cost more than the budget is never connected to, and costs nothing', async () => {
  const service = await useStubService({ max_cost_usd: 0.5 });
  const bench = await usePaidSessions(service, { budget: 0.4 });
  const refused = await refusalOf(bench.sessions.voice.open(aRequest()));
  expect(refused).toMatchObject({ code: 'refused', refusal: { needed: 500_000 } });
  expect(service.received.map(({ url }) => url)).toEqual(['/api/v1/voice/session']);
  expect(service.streams).toEqual([]);
  await expectNothingHeld(bench);
  expect(await bench.row()).toMatchObject({ end_reason: 'not_opened', charged_micros: 0 });
});

test('the hold, the limit and the price follow the grant, and not the request', async () => {
  const service = await useStubService({ max_duration_sec: 300, max_cost_usd: 0.9 });
  const clock = new FakeClock();
  const bench = await usePaidSessions(service, { clock, sessions: { limits: { marginMs: 1_000 } } });
  const line = await bench.sessions.voice.open(aRequest({ minutes: 10 }));
  expect(line.standing).toMatchObject({ leftMs: 299_000, held: 900_000, meteredMs: 0, estimate: 0 });
  expect(await bench.hold(line.id)).toMatchObject({ amount_micros: 900_000, state: 'pending' });
  const ear = new LineEar(line);
  service.streams[0]?.socket.send(Buffer.alloc(640));
  await vi.waitFor(() => expect(ear.samples).toHaveLength(320));
  await clock.advance(10_000);
  expect(line.standing).toMatchObject({ leftMs: 289_000, meteredMs: 10_000, estimate: 30_000 });
  await line.close('stopped');
});

test('until the charge of an ended session is known, only what its meter shows stays held', async () => {
  const service = await useStubService({ max_duration_sec: 600, max_cost_usd: 0.6 });
  const clock = new FakeClock();
  const bench = await usePaidSessions(service, { clock, sessions: { limits: { marginMs: 1_000 } } });
  const line = await bench.sessions.voice.open(aRequest({ minutes: 10 }));
  const ear = new LineEar(line);
  service.streams[0]?.socket.send(Buffer.alloc(2));
  await vi.waitFor(() => expect(ear.samples).toHaveLength(1));
  await clock.advance(20_000);
  await line.close('left');
  await vi.waitFor(async () => expect((await bench.row()).state).toBe('ended'));
  expect(await bench.hold(line.id)).toMatchObject({ state: 'pending', amount_micros: 25_000 });
  expect(await bench.sessions.costOf(line.id)).toEqual({ charged: null, estimate: 20_000 });

  service.records.push(aRecord({ charged_usd: 0.0203, created_at: new Date(clock.now()).toISOString() }));
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect((await bench.row()).state).toBe('settled');
  });
  expect(await bench.sessions.costOf(line.id)).toEqual({ charged: 20_300, estimate: 20_000 });
  expect(await bench.hold(line.id)).toMatchObject({ state: 'posted', charged_micros: 20_300 });
  expect(await bench.left()).toBe(10 - 0.0203);
});

test('a charge above the hold is booked in full, and the excess as overrun', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service);
  const line = await bench.sessions.voice.open(aRequest());
  await line.close('left');
  service.records.push(aRecord({ charged_usd: 0.064 }));
  await bench.settled(line.id);
  const hold = await bench.hold(line.id);
  expect(hold).toMatchObject({ state: 'posted', charged_micros: 64_000 });
  expect(hold.overrun_micros).toBe(64_000 - hold.amount_micros);
  await verifyLedger(bench.database.kysely, (difference) => expect(difference).toBeUndefined());
});

test.each([
  ['a price that no session of that length can have', { charged_usd: 0.07 }],
  ['another day', { created_at: new Date(Date.now() - 86_400_000).toISOString() }],
])('a record of the same id and %s settles nothing by itself', async (_name, changes) => {
  const service = await useStubService();
  const bench = await usePaidSessions(service);
  const line = await bench.sessions.voice.open(aRequest());
  service.records.push(aRecord(changes));
  await line.close('left');
  const looked = service.arrivals();
  await vi.waitFor(() => expect(service.arrivals()).toBeGreaterThan(looked + 2));
  expect((await bench.row()).state).toBe('ended');
});

test('a record of another capability, or of a call that has not ended, settles nothing', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service);
  const line = await bench.sessions.voice.open(aRequest());
  service.records.push(aRecord({ feature: 'avatar', endpoint: 'avatar' }));
  await line.close('left');
  const looked = service.arrivals();
  await vi.waitFor(() => expect(service.arrivals()).toBeGreaterThan(looked + 2));
  service.records[0] = aRecord({ status: 'processing' });
  const again = service.arrivals();
  await vi.waitFor(() => expect(service.arrivals()).toBeGreaterThan(again + 2));
  expect((await bench.row()).state).toBe('ended');
  service.records[0] = aRecord({ reason: 'session_limit_reached' });
  expect(await bench.settled(line.id)).toMatchObject({
    charged_micros: 10_000,
    usage_reason: 'session_limit_reached',
  });
});

test('a session that converted nothing is released by its record, or after a while without one', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service, { sessions: { limits: { recordMsMax: 500 } } });
  const told = await bench.sessions.voice.open(aRequest());
  const untold = await bench.sessions.voice.open(aRequest({ userId: '200' }));
  service.records.push(aRecord({ id: 'ses_1', charged_usd: 0, reason: 'no_stream' }));
  await Promise.all([told.close('idle'), untold.close('idle')]);
  expect(await bench.settled(told.id)).toMatchObject({ usage_reason: 'no_stream', charged_micros: 0 });
  expect(await bench.settled(untold.id)).toMatchObject({ usage_reason: null, charged_micros: 0 });
  await expectNothingHeld(bench);
  expect(await bench.left()).toBe(10);
});

test('a session that was streamed and has no record is set aside for review', async () => {
  const service = await useStubService({}, ({ socket }) => {
    socket.send(FORMAT);
    socket.send(Buffer.alloc(64));
  });
  const bench = await usePaidSessions(service, { sessions: { limits: { recordMsMax: 300 } } });
  const line = await bench.sessions.voice.open(aRequest());
  await vi.waitFor(() => expect(line.standing.meteredMs).toBeGreaterThan(0));
  await line.close('left');
  await vi.waitFor(async () => expect((await bench.hold(line.id)).state).toBe('review'));
  expect(await bench.row()).toMatchObject({ state: 'ended', due_at_ms: null });
});

test.each<[string, Reply, object]>([
  ['no money at the service', refuse(402, 'insufficient_balance'), { code: 'unpaid' }],
  ['a ceiling', refuse(429, 'at_capacity'), { code: 'no_capacity' }],
  ['no place', refuse(502, 'capacity_unavailable'), { code: 'no_capacity' }],
  ['an engine that starts', refuse(502, 'capacity_warming'), { code: 'no_capacity' }],
  ['a missing voice', refuse(400, 'capability_unavailable'), { code: 'rejected' }],
  ['a voice that is gone', refuse(400, 'invalid_input'), { code: 'rejected' }],
  ['a fault', refuse(500, 'internal_error'), { code: 'unreachable' }],
  ['no answer', drop, { code: 'unreachable' }],
])('%s refuses a session, and nothing stays held', async (_name, reply, expected) => {
  const service = await useStubService();
  service.onOpen(reply);
  const clock = new FakeClock();
  const short: unknown[] = [];
  const spending = gate({ wasShort: (amount, by) => short.push([amount, by]) });
  const bench = await usePaidSessions(service, {
    clock,
    api: PATIENT,
    sessions: { spending, limits: { openMs: 9e6 } },
  });
  let isOver = false;
  const refusing = refusalOf(bench.sessions.voice.open(aRequest())).finally(() => (isOver = true));
  await vi.waitFor(
    async () => {
      await clock.advance(1_000);
      expect(isOver).toBe(true);
    },
    { interval: 5 },
  );
  const refused = await refusing;
  expect(refused).toMatchObject(expected);
  const isWarming = _name === 'an engine that starts';
  expect(refused.userMessage?.includes('about a minute')).toBe(isWarming);
  expect(short).toEqual(refused.code === 'unpaid' ? [[60_000, 'service']] : []);
  await expectNothingHeld(bench);
  expect(await bench.left()).toBe(10);
});

function gate(changes: {
  readonly paused?: 'everything' | 'guild';
  readonly balance?: number;
  readonly wasShort?: (...said: Parameters<SpendingGate['wasShort']>) => unknown;
}): SpendingGate {
  return {
    pausedBy: async () => changes.paused ?? null,
    isShort: async (_trx, amount) => amount > (changes.balance ?? Infinity),
    wasShort: (amount, by) => void changes.wasShort?.(amount, by),
  };
}

test('no session is opened while the operator has paused spending', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service, { sessions: { spending: gate({ paused: 'everything' }) } });
  expect(await refusalOf(bench.sessions.voice.open(aRequest()))).toMatchObject({
    code: 'refused',
    refusal: { by: 'operator', paused: 'everything' },
  });
  expect(service.arrivals()).toBe(0);
});

test('the service is not asked for a session that its account is known not to cover', async () => {
  const service = await useStubService();
  const short: unknown[] = [];
  const spending = gate({ balance: 59_999, wasShort: (amount, by) => short.push([amount, by]) });
  const bench = await usePaidSessions(service, { sessions: { spending } });
  expect(await refusalOf(bench.sessions.voice.open(aRequest()))).toMatchObject({ code: 'unpaid' });
  expect(short).toEqual([[60_000, 'balance']]);
  expect(service.arrivals()).toBe(0);
});

test('of many simultaneous requests, as many are granted as the budget allows', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service, { budget: 0.3 });
  const opening = Array.from({ length: 12 }, (_, index) =>
    bench.sessions.voice.open(aRequest({ userId: String(100 + index) })).catch((error: unknown) => error),
  );
  const lines = (await Promise.all(opening)).filter((made) => !(made instanceof SessionError));
  expect(lines).toHaveLength(5);
  expect(service.streams).toHaveLength(5);
  expect(await bench.left()).toBe(0);
});

test('a cap of the member counts too', async () => {
  const service = await useStubService();
  const bench = await usePaidSessions(service);
  await bench.database.kysely
    .insertInto('caps')
    .values({
      guild_id: 'guild',
      target_kind: 'member',
      target_id: '100',
      capability: 'voice_swap',
      period: 'day',
      limit_micros: micros(0.05 * DOLLAR),
      set_by: '1',
      set_at_ms: 1,
    })
    .execute();
  expect(await refusalOf(bench.sessions.voice.open(aRequest()))).toMatchObject({
    refusal: { cap: { target: { kind: 'member', userId: '100' }, capability: 'voice_swap' } },
  });
  expect(await bench.sessions.voice.open(aRequest({ userId: '200' }))).toBeDefined();
});

test('a process leaves the sessions of another living process alone', async () => {
  const clock = new FakeClock();
  const service = await useStubService({ max_duration_sec: 300 });
  const limits = { beatMs: 5_000, leaseMs: 30_000, marginMs: 1_000, lookMs: 10_000, firstLookMs: 1_000 };
  const one = await usePaidSessions(service, { clock, sessions: { limits } });
  const other = await usePaidSessions(service, { clock, database: one.database, sessions: { limits } });
  const line = await one.sessions.voice.open(aRequest());
  const ear = new LineEar(line);
  service.streams[0]?.socket.send(Buffer.alloc(2));
  await vi.waitFor(() => expect(ear.samples).toHaveLength(1));
  // These are the timers of both processes: heartbeats, checks, the limit and the ping. While a process works instead
  // of waiting for a timer, time must not pass.
  const isQuiet = (): Promise<void> => vi.waitFor(() => expect(clock.pendingTimers).toBe(6));
  // This is twice as long as a lease that is not renewed.
  for (let passedMs = 0; passedMs < 60_000; passedMs += 2_500) {
    await isQuiet();
    await clock.advance(2_500);
    await isQuiet();
    const { state, lease_until_ms: untilMs } = await one.row();
    expect(state).toBe('open');
    expect(untilMs).toBeGreaterThan(clock.now() + 15_000);
    if (passedMs === 45_000) expect((await one.row()).metered_ms).toBeGreaterThan(30_000);
  }
  expect(other.logged).toEqual([]);
});

test('a process that was wrongly considered dead still records how long its session ran', async () => {
  const service = await useStubService();
  const paused = { beatMs: 9e6 };
  const one = await usePaidSessions(service, { sessions: { limits: paused } });
  const line = await one.sessions.voice.open(aRequest());
  const ear = new LineEar(line);
  service.streams[0]?.socket.send(Buffer.alloc(2));
  await vi.waitFor(() => expect(ear.samples).toHaveLength(1));
  const other = await usePaidSessions(service, { database: one.database });
  await vi.waitFor(async () =>
    expect(await one.row()).toMatchObject({ end_reason: 'crashed', state: 'ended' }),
  );
  expect(await one.hold(line.id)).toMatchObject({ state: 'pending', amount_micros: 60_000 });
  await line.close('left');
  await vi.waitFor(async () => expect((await one.row()).end_reason).toBe('left'));
  const { metered_ms: meteredMs } = await one.row();
  expect(meteredMs).toBe(line.standing.meteredMs);
  expect((await one.hold(line.id)).amount_micros).toBeLessThan(10_000);
  service.records.push(aRecord({ charged_usd: 0.002 }));
  expect(await other.settled(line.id)).toMatchObject({ charged_micros: 2_000 });
});
