import { expect, test } from 'vitest';
import { putBudgetManager } from '../../../../db/queries/budget-settings.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { overrunCause } from '../../../../src/bot/money/overruns/overrun-cause.ts';
import { Overruns, readOverruns } from '../../../../src/bot/money/overruns/overruns.ts';
import { aJob } from '../../../db/a-job.ts';
import { type LedgerBench, useLedger } from '../ledger/use-ledger.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';

const MINUTE_MS = 60_000;
const ADMIN = { guildId: 'guild', userId: '1', roleIds: [], isAdmin: true };
const MANAGER = { guildId: 'guild', userId: '2', roleIds: ['5', '21'], isAdmin: false };
const MEMBER = { guildId: 'guild', userId: '3', roleIds: ['5'], isAdmin: false };

async function useDesk(): Promise<{ readonly bench: LedgerBench; readonly desk: Overruns }> {
  const bench = await useLedger();
  const { database: db, clock, ledger } = bench;
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const desk = new Overruns({ db, log: recordingLogger([]), rules, watches: ledger.watches });
  await db.transaction('guild:guild', (trx) => putBudgetManager(trx, 'guild', '21'));
  return { bench, desk };
}

/** Creates a job for which 100 was held and `amount` was charged. */
async function charged(bench: LedgerBench, subject: string, amount: number, changes = {}): Promise<void> {
  await bench.hold(subject, 100, { userId: 'ada', ...changes });
  await bench.clock.advance(MINUTE_MS);
  await bench.post(subject, amount);
}

test('managers see the charges above their holds, newest first, and which of them wait for a review', async () => {
  const { bench, desk } = await useDesk();
  await charged(bench, 'within', 100);
  const atMs = bench.clock.now();
  await charged(bench, 'over', 101, { capability: 'avatar', rateCard: '{}' });
  await charged(bench, 'far', 201, { userId: 'ben' });
  await charged(bench, 'away', 500, { guildId: 'away' });
  // A later increase exceeds the amount that was left after the release, but not the amount that was held, so it is not
  // listed.
  await charged(bench, 'risen', 50);
  await bench.post('risen', 90);
  const over = {
    guildId: 'guild',
    userId: 'ada',
    capability: 'avatar',
    held: 100,
    charged: 101,
    atMs: atMs + MINUTE_MS,
    cause: 'unknown',
  };
  const far = {
    ...over,
    userId: 'ben',
    capability: 'photo_swap',
    charged: 201,
    atMs: atMs + 2 * MINUTE_MS,
  };
  const { cause: _, ...waiting } = far;
  for (const by of [ADMIN, MANAGER]) {
    expect(await desk.show(by)).toEqual({ overruns: [far, over], hasMore: false, waiting: [waiting] });
  }
  await expect(desk.show(MEMBER)).rejects.toMatchObject({ code: 'not_manager' });
  const everywhere = await readOverruns(bench.database.kysely, { offset: 1, limit: 1 });
  expect(everywhere.overruns).toEqual([far]);
  expect(everywhere.hasMore).toBe(true);
  expect(everywhere.waiting.map(({ guildId }) => guildId)).toEqual(['guild', 'away']);
});

test('charges are listed by when they were resolved, not by when they were held', async () => {
  const { bench, desk } = await useDesk();
  for (const subject of ['first', 'second', 'third']) await bench.hold(subject, 100, { userId: subject });
  for (const subject of ['second', 'third', 'first']) {
    await bench.clock.advance(MINUTE_MS);
    await bench.post(subject, 150);
  }
  const { overruns } = await desk.show(ADMIN);
  expect(overruns.map(({ userId }) => userId)).toEqual(['first', 'third', 'second']);
});

test('a charge waits for a review while it is more than twice its hold, the oldest of a member first', async () => {
  const { bench, desk } = await useDesk();
  const { kysely } = bench.database;
  const found = async () =>
    (await bench.ledger.watches.find(kysely, { guildId: 'guild', userId: 'ada' }))?.subject;
  const waiting = async () => (await desk.show(ADMIN)).waiting.map(({ charged: amount }) => amount);
  await charged(bench, 'x', 250);
  await charged(bench, 'm', 260);
  await charged(bench, 'a', 270);
  expect([await found(), await waiting()]).toEqual(['x', [250, 260, 270]]);
  // A charge that is far above its hold, and still is after a correction, is not a new charge to review.
  await bench.post('x', 300);
  expect([await found(), await waiting()]).toEqual(['x', [250, 260, 270]]);
  await bench.post('x', 200);
  expect([await found(), await waiting()]).toEqual(['m', [260, 270]]);
  await bench.clock.advance(MINUTE_MS);
  await bench.post('x', 201);
  expect([await found(), await waiting()]).toEqual(['m', [260, 270, 201]]);
  const rows = await kysely.selectFrom('overrun_watches').selectAll().where('subject', '=', 'x').execute();
  expect(rows).toEqual([
    {
      guild_id: 'guild',
      user_id: 'ada',
      subject: 'x',
      capability: 'photo_swap',
      held_micros: 100,
      charged_micros: 201,
      made_at_ms: bench.clock.now(),
      // The admins were already alerted when the wait started.
      alert_due_at_ms: null,
      alert_attempts: 0,
    },
  ]);
  expect(await desk.clear(ADMIN, 'ada')).toBe(true);
  expect([await found(), await waiting()]).toEqual([undefined, []]);
  // Once a charge has been reviewed, a correction does not list it again.
  await bench.post('m', 400);
  expect(await found()).toBeUndefined();
});

test('ten charges are shown, and the eight oldest that wait for a review', async () => {
  const { bench, desk } = await useDesk();
  for (let index = 0; index < 10; index++) await charged(bench, `job_${index}`, 300 + index);
  const ten = await desk.show(ADMIN);
  expect([ten.overruns.length, ten.hasMore]).toEqual([10, false]);
  expect(ten.waiting.map(({ charged: amount }) => amount)).toEqual([300, 301, 302, 303, 304, 305, 306, 307]);
  await charged(bench, 'one_more', 400);
  const more = await desk.show(ADMIN);
  expect([more.overruns.length, more.hasMore, more.overruns[0]?.charged]).toEqual([10, true, 400]);
});

test('a review continues the waiting jobs of that member in that guild, and no others', async () => {
  const { bench, desk } = await useDesk();
  const waits = { stage: 'fetched', asked_at_ms: 5, due_at_ms: 9e14 } as const;
  await bench.database.transaction('guild:guild', async (trx) => {
    await insertJob(trx, aJob('ada', { ...waits, user_id: 'ada' }));
    await insertJob(trx, aJob('ben', { ...waits, user_id: 'ben' }));
    await insertJob(trx, aJob('away', { ...waits, user_id: 'ada', guild_id: 'away' }));
    await insertJob(trx, aJob('confirmed', { ...waits, user_id: 'ada', confirmed_at_ms: 6 }));
    await insertJob(trx, aJob('unasked', { ...waits, user_id: 'ada', asked_at_ms: null }));
  });
  await charged(bench, 'far', 300);
  const due = async (): Promise<readonly string[]> => {
    const jobs = await bench.database.kysely.selectFrom('jobs').selectAll().execute();
    return jobs.filter(({ due_at_ms: dueAtMs }) => dueAtMs <= bench.clock.now()).map(({ id }) => id);
  };
  await expect(desk.clear(MEMBER, 'ada')).rejects.toMatchObject({ code: 'not_manager' });
  expect(await desk.clear(ADMIN, 'ben')).toBe(false);
  expect(await due()).toEqual([]);
  expect(await desk.clear(MANAGER, 'ada')).toBe(true);
  expect(await due()).toEqual(['job_ada']);
  expect(await desk.clear(MANAGER, 'ada')).toBe(false);
  expect((await desk.show(ADMIN)).waiting).toEqual([]);
});

test('a review gives waiting jobs their whole time for an answer, wakes sleeping jobs, and changes no other jobs', async () => {
  const { bench, desk } = await useDesk();
  const { kysely } = bench.database;
  const nowMs = bench.clock.now() + 5 * MINUTE_MS;
  const later = nowMs + 9 * MINUTE_MS;
  const waits = {
    stage: 'fetched',
    stage_since_ms: 4,
    asked_at_ms: nowMs - 9 * MINUTE_MS,
    due_at_ms: later,
    user_id: 'ada',
  } as const;
  /** A job's other columns, and when it is due after the review; null if the review does not affect it. */
  const rows: Readonly<Record<string, readonly [Partial<NewJob>, number | null]>> = {
    asleep: [{}, nowMs],
    'of an hour ago': [{ asked_at_ms: nowMs - 60 * MINUTE_MS }, nowMs],
    'due now': [{ due_at_ms: nowMs }, nowMs],
    'due already': [{ due_at_ms: nowMs - 1 }, nowMs - 1],
    'with a worker': [{ lease_until_ms: nowMs + 1, lease_owner: 'one' }, later],
    'left by a worker': [{ lease_until_ms: nowMs, lease_owner: 'one' }, nowMs],
    'woken before': [{ woken_at_ms: 3 }, nowMs],
    confirmed: [{ confirmed_at_ms: 6 }, null],
    unasked: [{ asked_at_ms: null }, null],
    'of another': [{ user_id: 'ben' }, null],
    away: [{ guild_id: 'away' }, null],
    accepted: [{ stage: 'accepted' }, null],
    uploaded: [{ stage: 'uploaded' }, null],
    submitted: [{ stage: 'submitted' }, null],
    settled: [{ stage: 'settled' }, null],
    abandoned: [{ stage: 'abandoned' }, null],
  };
  await charged(bench, 'far', 300);
  await charged(bench, 'bens', 300, { userId: 'ben' });
  await bench.clock.advance(nowMs - bench.clock.now());
  await bench.database.transaction('guild:guild', async (trx) => {
    for (const [name, [changes]] of Object.entries(rows)) {
      await insertJob(trx, aJob(name, { ...waits, ...changes }));
    }
  });
  const jobs = () => kysely.selectFrom('jobs').selectAll().orderBy('id').execute();
  const before = await jobs();

  expect(await desk.clear(MANAGER, 'ada')).toBe(true);

  const dueOf = (id: string): number | null => rows[id.replace('job_', '')]?.[1] ?? null;
  expect(await jobs()).toEqual(
    before.map((job) => {
      const due_at_ms = dueOf(job.id);
      return due_at_ms === null ? job : { ...job, asked_at_ms: nowMs, woken_at_ms: nowMs, due_at_ms };
    }),
  );
  expect((await desk.show(ADMIN)).waiting.map(({ userId }) => userId)).toEqual(['ben']);
});

const quote = (unit: string | null, isKnown = true, source = 'card'): string =>
  JSON.stringify({ source, isKnown, rate: unit === null ? null : { unit } });

test.each([
  ['voice_swap', quote('minute'), 'session'],
  ['live_swap_pro', quote(null, false, 'fallback'), 'session'],
  ['video_swap', quote('second'), 'length'],
  ['video_swap', quote(null), 'length'],
  ['video_swap', quote('second', true, 'fallback'), 'unpriced'],
  ['photo_swap', quote('image'), 'price'],
  ['photo_swap', quote(null), 'price'],
  ['photo_swap', quote(null, true, 'fallback'), 'unpriced'],
  ['motion_transfer', quote('image'), 'price'],
  ['avatar', quote('second'), 'script'],
  ['avatar', quote('second', false), 'length'],
  ['lip_sync', quote('second'), 'length'],
  ['avatar', '{}', 'unknown'],
  ['photo_swap', 'no JSON', 'unknown'],
])('the cause of a high charge for %s by %s is: %s', (capability, snapshot, cause) => {
  expect(overrunCause(capability, snapshot)).toBe(cause);
});
