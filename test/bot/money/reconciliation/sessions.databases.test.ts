import { expect, test } from 'vitest';
import { insertSession } from '../../../../db/queries/sessions.ts';
import type { NewSession } from '../../../../db/schema/sessions.ts';
import { micros } from '../../../../src/base/money.ts';
import { aSession } from '../../../db/a-session.ts';
import { aHold } from '../ledger/a-hold.ts';
import { type AccountBench, useAccount } from './use-account.ts';

const MINUTE_MS = 60_000;

interface OurSession {
  /** The length of the session on the bot's meter, in seconds. */
  readonly seconds: number;
  /** The amount that the service charged, in cents; null if it has no record. Default: the cost of `seconds`. */
  readonly cents?: number | null;
  readonly row?: Partial<NewSession>;
}

/**
 * Creates a voice session at 6 cents a minute, granted for 10 minutes, that has just ended. Returns its id.
 */
async function session(bench: AccountBench, name: string, our: OurSession): Promise<string> {
  const id = `live_${name}`;
  const { seconds, row = {} } = our;
  const cents = our.cents === undefined ? seconds / 10 : our.cents;
  const openedAtMs = bench.clock.now();
  const hold = { ...aHold(id, micros(600_000)), guildId: 'guild', capability: 'voice_swap' };
  await bench.database.transaction('guild:guild', (trx) => bench.ledger.hold(trx, hold));
  await bench.clock.advance(seconds * 1000 + MINUTE_MS);
  if (cents !== null) {
    bench.records.push({
      id: bench.hasEqualIds ? `ses_${name}` : `record_${name}`,
      endpoint: 'voice',
      feature: 'voice_swap',
      status: 'succeeded',
      charged_usd: cents / 100,
      reason: null,
      created_at: new Date(openedAtMs + 500 + bench.skewMs).toISOString(),
    });
  }
  await bench.database.transaction('guild:guild', (trx) =>
    insertSession(
      trx,
      aSession(id, {
        service_session_id: `ses_${name}`,
        opened_at_ms: openedAtMs,
        connected_at_ms: openedAtMs,
        metered_ms: seconds * 1000,
        ended_at_ms: bench.clock.now(),
        lease_until_ms: openedAtMs,
        ...row,
      }),
    ),
  );
  return id;
}

async function stateOf(bench: AccountBench, id: string): Promise<readonly [string, number]> {
  const { state, charged_micros: charged } = await bench.hold(id);
  return [state, charged / 10_000];
}

async function rowOf(bench: AccountBench, id: string): Promise<object> {
  return bench.database.kysely
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

test.each([true, false])(
  'sessions are settled and are not treated as use by others, if ids are equal: %s',
  async (hasEqualIds) => {
    const bench = await useAccount({ hasEqualIds });
    const ids: string[] = [];
    for (const [index, seconds] of [100, 200, 300, 400].entries()) {
      ids.push(await session(bench, `s${index}`, { seconds }));
    }
    await bench.clock.advance(2 * 3_600_000);
    const report = await bench.compare();
    expect(await Promise.all(ids.map((id) => stateOf(bench, id)))).toEqual([
      ['posted', 10],
      ['posted', 20],
      ['posted', 30],
      ['posted', 40],
    ]);
    expect(await rowOf(bench, ids[0] ?? '')).toMatchObject({ state: 'settled', charged_micros: 100_000 });
    expect(report).toMatchObject({ drift: 0, undecided: 0 });
    expect(await bench.cents('')).toMatchObject({ foreign: 0 });
    expect(await bench.differences()).toEqual([]);
  },
);

test('sessions at the same time each get their own record by their meters, and the rest is foreign use', async () => {
  const bench = await useAccount({ hasEqualIds: false });
  const at = { opened_at_ms: bench.clock.now() };
  const short = await session(bench, 'short', { seconds: 60, row: at });
  const long = await session(bench, 'long', { seconds: 300, row: at });
  await bench.foreign(55, { endpoint: 'voice', feature: 'voice_swap' });
  await bench.clock.advance(2 * 3_600_000);
  await bench.compare();
  expect(await stateOf(bench, short)).toEqual(['posted', 6]);
  expect(await stateOf(bench, long)).toEqual(['posted', 30]);
  expect(await bench.cents('')).toMatchObject({ foreign: 55 });
});

test('consecutive short sessions are distinguished by their times, and cost what was charged', async () => {
  const bench = await useAccount({ hasEqualIds: false });
  const ids: string[] = [];
  // These times are from the bot's meter; the service measured slightly less each time.
  const seconds = [4, 6.5, 3, 5];
  bench.skewMs = -240_000;
  await bench.clock.advance(5 * MINUTE_MS);
  for (const [index, metered] of seconds.entries()) {
    ids.push(await session(bench, `s${index}`, { seconds: metered, cents: (metered - 0.35) / 10 }));
  }
  expect(await bench.cents('guild')).toMatchObject({ spent: 0 });
  const report = await bench.compare();
  expect(await Promise.all(ids.map((id) => stateOf(bench, id)))).toEqual(
    seconds.map((metered) => ['posted', expect.closeTo((metered - 0.35) / 10)]),
  );
  expect(await bench.cents('guild')).toEqual({ spent: expect.closeTo(1.71), pending: 0, foreign: 0 });
  expect(report).toMatchObject({ difference: 0, drift: 0 });
  expect(await bench.suggestions()).toEqual([]);
  expect(await bench.differences()).toEqual([]);
});

test('a session that was settled without an id follows later corrections by the service', async () => {
  const bench = await useAccount({ hasEqualIds: false });
  const ids = [await session(bench, 'a', { seconds: 20 }), await session(bench, 'b', { seconds: 21 })];
  await bench.compare();
  bench.reprice(0, 1.8);
  await bench.compare();
  expect(await stateOf(bench, ids[0] ?? '')).toEqual(['posted', 1.8]);
  const corrections = await bench.database.kysely
    .selectFrom('ledger_entries')
    .selectAll()
    .where('subject', '=', ids[0] ?? '')
    .where('kind', '=', 'adjustment')
    .execute();
  expect(corrections.at(-1)).toMatchObject({ amount_micros: 2_000, credit_account: 'spent' });
  expect(corrections.at(-1)?.corrects).toBeGreaterThan(0);
  // An amount above the most that the session can cost does not count as a correction.
  bench.reprice(0, 90);
  for (let pass = 0; pass < 2; pass++) await bench.compare();
  expect(await stateOf(bench, ids[0] ?? '')).toEqual(['posted', 1.8]);
  expect(await bench.differences()).toEqual([]);
});

test('concurrent sessions with similar but different costs stay held, and wait for the operator', async () => {
  const bench = await useAccount({ hasEqualIds: false });
  const at = { opened_at_ms: bench.clock.now(), connected_at_ms: bench.clock.now() };
  const one = await session(bench, 'one', { seconds: 20, row: at });
  const other = await session(bench, 'other', { seconds: 22, row: at });
  const createdAt = new Date(at.opened_at_ms).toISOString();
  for (const record of bench.records) Object.assign(record, { created_at: createdAt });
  await bench.clock.advance(2 * 3_600_000);
  await bench.compare();
  expect([await stateOf(bench, one), await stateOf(bench, other)]).toEqual([
    ['pending', 0],
    ['pending', 0],
  ]);
  expect(new Set((await bench.suggestions()).map(([subject, id]) => `${subject} ${id}`))).toEqual(
    new Set([`${one} record_one`, `${one} record_other`, `${other} record_one`, `${other} record_other`]),
  );
  expect(await bench.cents('')).toMatchObject({ foreign: 0 });
});

test.each([
  ['less', 5.4],
  ['more', 6.6],
])('a record with %s than the meter of a session explains does not belong to it', async (_name, cents) => {
  const bench = await useAccount({ hasEqualIds: false });
  const id = await session(bench, 'own', { seconds: 60, cents: null });
  await bench.foreign(cents, { endpoint: 'voice', feature: 'voice_swap' });
  await bench.clock.advance(2 * 3_600_000);
  await bench.compare();
  expect(await stateOf(bench, id)).toEqual(['pending', 0]);
  expect((await bench.cents('')).foreign).toBeCloseTo(cents);
});

test('a session is not settled while a record near it may still become its own', async () => {
  const bench = await useAccount({ hasEqualIds: false });
  const id = await session(bench, 'own', { seconds: 60 });
  await bench.foreign(0, { endpoint: 'voice', feature: 'voice_swap', status: 'processing' });
  await bench.compare();
  expect(await stateOf(bench, id)).toEqual(['pending', 0]);
  bench.records.pop();
  await bench.compare();
  expect(await stateOf(bench, id)).toEqual(['posted', 6]);
});

test('a running session is neither settled nor set aside, and its record is not foreign', async () => {
  const bench = await useAccount({ hasEqualIds: false });
  const running = { state: 'open', ended_at_ms: null, end_reason: null } as const;
  const id = await session(bench, 'run', { seconds: 360, cents: 36, row: running });
  await bench.compare();
  expect(await stateOf(bench, id)).toEqual(['pending', 0]);
  expect(await bench.cents('')).toMatchObject({ foreign: 0 });
});

test('without a record a silent session is freed, and a metered session stays held', async () => {
  const bench = await useAccount();
  await bench.clock.advance(10 * MINUTE_MS);
  const silent = await session(bench, 'silent', { seconds: 0, cents: null });
  const metered = await session(bench, 'metered', { seconds: 120, cents: null });
  const died = { end_reason: 'crashed' } as const;
  const crashed = await session(bench, 'crashed', { seconds: 120, cents: null, row: died });
  await bench.clock.advance(2 * 3_600_000);
  await bench.compare();
  expect(await stateOf(bench, silent)).toEqual(['voided', 0]);
  expect(await stateOf(bench, metered)).toEqual(['pending', 0]);
  expect(await stateOf(bench, crashed)).toEqual(['pending', 0]);
  await bench.clock.advance(4 * 86_400_000);
  const report = await bench.compare();
  expect(await stateOf(bench, metered)).toEqual(['review', 0]);
  expect(report.inReview).toBe(2);
});

test('a charge that the service changes later is corrected, in the session too', async () => {
  const bench = await useAccount();
  for (const name of ['a', 'b', 'c']) await session(bench, name, { seconds: 100 });
  const id = await session(bench, 'd', { seconds: 100 });
  await bench.clock.advance(2 * 3_600_000);
  await bench.compare();
  expect(await stateOf(bench, id)).toEqual(['posted', 10]);
  bench.reprice(3, 9);
  await bench.compare();
  expect(await stateOf(bench, id)).toEqual(['posted', 9]);
  expect(await rowOf(bench, id)).toMatchObject({ charged_micros: 90_000 });
  expect(await bench.differences()).toEqual([]);
});

test('equal ids of sessions say nothing about the ids of jobs', async () => {
  const bench = await useAccount();
  for (const name of ['a', 'b', 'c', 'd']) await session(bench, name, { seconds: 100 });
  for (const name of ['1', '2', '3']) {
    await bench.job(name, { row: { service_job_id: `other_name_${name}` } });
  }
  const open = await bench.job('open', {
    books: 'review',
    row: { service_job_id: 'other_name_open', outcome: 'unknown', charged_micros: null },
  });
  await bench.clock.advance(2 * 3_600_000);
  await bench.compare();
  expect((await stateOf(bench, open))[0]).not.toBe('voided');
  expect(await bench.cents('')).toMatchObject({ foreign: 0 });
});
