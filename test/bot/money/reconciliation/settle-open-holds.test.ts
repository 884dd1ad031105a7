import { expect, test } from 'vitest';
import { insertSession } from '../../../../db/queries/sessions.ts';
import { findUsageOwner, putUsageOwner } from '../../../../db/queries/usage-owners.ts';
import { type MicroUsd, micros } from '../../../../src/base/money.ts';
import { settleHold, settleOpenHolds } from '../../../../src/bot/money/reconciliation/settle-open-holds.ts';
import { aSession } from '../../../db/a-session.ts';
import { aHold } from '../ledger/a-hold.ts';
import { type AccountBench, type OurJob, useAccount } from './use-account.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CENT = 10_000;
/** The time from the acceptance of a job created with `AccountBench.job` to its end. */
const JOB_MS = 5 * MINUTE_MS;
const { signal } = new AbortController();

/** Settles the open holds. Returns those that are still open. */
function settleOpen(bench: AccountBench): Promise<readonly string[]> {
  return settleOpenHolds(bench.context(), signal);
}

/** Holds $0.10 for a subject without a job. */
async function held(bench: AccountBench, subject: string): Promise<string> {
  await bench.database.transaction('guild:guild', (trx) =>
    bench.ledger.hold(trx, aHold(subject, micros(10 * CENT))),
  );
  return subject;
}

async function stateOf(bench: AccountBench, subject: string): Promise<readonly [string, number]> {
  const { state, charged_micros: charged } = await bench.hold(subject);
  return [state, charged / CENT];
}

const RUNNING = { state: 'open', ended_at_ms: null, end_reason: null } as const;
const UNCHARGED = { charged_micros: null } as const;

test.each<readonly [string, OurJob, readonly [string, number]]>([
  ['was abandoned', { row: { stage: 'abandoned', outcome: null } }, ['voided', 0]],
  ['is known to have cost something', { row: { charged_micros: micros(3 * CENT) } }, ['posted', 3]],
  ['is known to have failed', { row: { outcome: 'failed', charged_micros: micros(0) } }, ['voided', 0]],
  ['is reported to have cost something', { cents: 7, row: UNCHARGED }, ['posted', 7]],
  ['is reported to have cost nothing', { cents: 0, status: 'failed', row: UNCHARGED }, ['voided', 0]],
  [
    'has no known end, and is reported to have cost something',
    { cents: 7, row: { outcome: 'unknown', charged_micros: micros(0) } },
    ['posted', 7],
  ],
  ['is not known to the service', { cents: null, row: UNCHARGED }, ['review', 0]],
  ['has no id at the service', { cents: 7, row: { ...UNCHARGED, service_job_id: null } }, ['review', 0]],
  ['is running', { cents: 7, row: { ...UNCHARGED, stage: 'submitted', outcome: null } }, ['pending', 0]],
])('the open hold of a job that %s', async (_name, our, expected) => {
  const bench = await useAccount();
  const subject = await bench.job('one', { books: 'pending', ...our });
  await bench.clock.advance(HOUR_MS);
  const open = await settleOpen(bench);
  expect(await stateOf(bench, subject)).toEqual(expected);
  expect(open).toEqual(['pending', 'review'].includes(expected[0]) ? [subject] : []);
  expect(await bench.differences()).toEqual([]);
});

test('the service’s price for a job that has not ended there settles nothing', async () => {
  const bench = await useAccount();
  const subject = await bench.job('one', { books: 'review', cents: 7, row: UNCHARGED });
  const job = bench.jobs.get('srv_one');
  if (job) bench.jobs.set('srv_one', { ...job, status: 'processing' });
  await bench.clock.advance(HOUR_MS);
  expect(await settleOpen(bench)).toEqual([subject]);
  expect(await stateOf(bench, subject)).toEqual(['review', 0]);
});

test('a hold is left to its job or session for ten minutes', async () => {
  const bench = await useAccount();
  const subject = await held(bench, 'nobody');
  await bench.clock.advance(10 * MINUTE_MS);
  expect(await settleOpen(bench)).toEqual([]);
  expect(await stateOf(bench, subject)).toEqual(['pending', 0]);
  await bench.clock.advance(1);
  expect(await settleOpen(bench)).toEqual([subject]);
  expect(await stateOf(bench, subject)).toEqual(['review', 0]);
  expect(await settleOpen(bench)).toEqual([subject]);
});

test('the holds of a job and of a session that do not end are set aside after three days', async () => {
  const bench = await useAccount();
  const row = { stage: 'submitted', outcome: null, ...UNCHARGED } as const;
  const subjects = [await bench.job('slow', { books: 'pending', cents: null, row })];
  subjects.push(await held(bench, 'live_slow'));
  const session = aSession('live_slow', RUNNING);
  await bench.database.transaction('guild:guild', (trx) => insertSession(trx, session));
  await bench.clock.advance(3 * DAY_MS - JOB_MS);
  expect(await settleOpen(bench)).toEqual(subjects);
  expect((await stateOf(bench, 'job_slow'))[0]).toBe('pending');
  await bench.clock.advance(1);
  await settleOpen(bench);
  expect((await stateOf(bench, 'job_slow'))[0]).toBe('review');
  await bench.clock.advance(JOB_MS - 1);
  await settleOpen(bench);
  expect((await stateOf(bench, 'live_slow'))[0]).toBe('pending');
  await bench.clock.advance(1);
  expect(await settleOpen(bench)).toEqual(subjects);
  expect((await stateOf(bench, 'live_slow'))[0]).toBe('review');
});

test('the service is asked about a job for less than thirty days', async () => {
  const bench = await useAccount();
  const at = bench.clock.now();
  const old = await bench.job('old', { books: 'review', cents: 7, row: UNCHARGED });
  const young = await bench.job('young', {
    books: 'review',
    cents: 7,
    row: { ...UNCHARGED, accepted_at_ms: at + 1 },
  });
  await bench.clock.advance(at + 30 * DAY_MS - bench.clock.now());
  expect(await settleOpen(bench)).toEqual([old]);
  expect(await stateOf(bench, young)).toEqual(['posted', 7]);
});

test('the service is asked about at most twenty jobs, the oldest first, in one comparison', async () => {
  const bench = await useAccount();
  const subjects: string[] = [];
  for (let index = 0; index < 22; index++) {
    subjects.push(await bench.job(`${index}`, { books: 'review', cents: 7, row: UNCHARGED }));
  }
  await bench.clock.advance(HOUR_MS);
  expect(await settleOpen(bench)).toEqual(subjects.slice(20));
  expect(await settleOpen(bench)).toEqual([]);
  expect(await bench.cents('guild')).toMatchObject({ spent: 22 * 7, pending: 0 });
});

test.each<readonly [string, string | null | undefined, boolean]>([
  ['nobody has decided', undefined, true],
  ['the operator assigned to nobody', null, false],
  ['the operator assigned to another call', 'job_b', false],
  ['was assigned to this call before', 'job_a', false],
])('the only possible record, which %s, is booked: or not', async (_name, decided, isBooked) => {
  const bench = await useAccount();
  const subject = await held(bench, 'job_a');
  const owner = { record_id: 'u1', decided_by: 'operator', decided_at_ms: 1 };
  if (decided !== undefined) {
    await bench.database.transaction('account', (trx) => putUsageOwner(trx, { ...owner, subject: decided }));
  }
  const hold = { subject, guild_id: 'guild' };
  await settleHold(hold, micros(4 * CENT), bench.context(), { recordId: 'u1' });
  expect(await stateOf(bench, subject)).toEqual(isBooked ? ['posted', 4] : ['pending', 0]);
  expect(await findUsageOwner(bench.database.kysely, 'u1')).toEqual(
    isBooked
      ? { record_id: 'u1', subject, decided_by: null, decided_at_ms: bench.clock.now() }
      : { ...owner, subject: decided },
  );
});

test('a charge that was learned before the booked one changes nothing', async () => {
  const bench = await useAccount();
  const hold = { subject: await held(bench, 'a'), guild_id: 'guild' };
  const settle = (cents: number, asOfMs?: number): Promise<void> =>
    settleHold(hold, micros(cents * CENT), bench.context(), asOfMs === undefined ? {} : { asOfMs });
  await settle(4);
  await settle(3, bench.clock.now() - 1);
  expect(await stateOf(bench, 'a')).toEqual(['posted', 4]);
  await settle(2, bench.clock.now());
  expect(await stateOf(bench, 'a')).toEqual(['posted', 2]);
  await settle(0);
  expect(await stateOf(bench, 'a')).toEqual(['posted', 0]);
});

test('a settled charge is stored in a job without a charge, and in a session in place of any', async () => {
  const bench = await useAccount();
  const job = async (name: string, charged: MicroUsd | null): Promise<unknown> => {
    const subject = await bench.job(name, { books: 'review', row: { charged_micros: charged } });
    await settleHold({ subject, guild_id: 'guild' }, micros(7 * CENT), bench.context());
    const rows = await bench.database.kysely.selectFrom('jobs').selectAll().execute();
    return rows.find(({ id }) => id === subject)?.charged_micros;
  };
  expect([await job('new', null), await job('known', micros(CENT))]).toEqual([7 * CENT, CENT]);
  const nowMs = bench.clock.now();
  const session = async (id: string, changes: object): Promise<unknown[]> => {
    await held(bench, id);
    await bench.database.transaction('guild:guild', (trx) => insertSession(trx, aSession(id, changes)));
    await settleHold({ subject: id, guild_id: 'guild' }, micros(7 * CENT), bench.context());
    const rows = await bench.database.kysely.selectFrom('sessions').selectAll().execute();
    const row = rows.find((one) => one.id === id);
    return [row?.state, row?.charged_micros, row?.settled_at_ms, row?.due_at_ms];
  };
  const ended = { state: 'ended', due_at_ms: 9 };
  expect(await session('s1', ended)).toEqual(['settled', 7 * CENT, nowMs, null]);
  expect(await session('s2', { state: 'settled', charged_micros: micros(1), settled_at_ms: 5 })).toEqual([
    'settled',
    7 * CENT,
    5,
    null,
  ]);
  expect(await session('s3', RUNNING)).toEqual(['open', null, null, null]);
});
