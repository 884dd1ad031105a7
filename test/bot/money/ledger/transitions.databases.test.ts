import { expect, test } from 'vitest';
import { findHold } from '../../../../db/queries/holds.ts';
import { micros } from '../../../../src/base/money.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { DOLLAR_A_DAY } from './a-hold.ts';
import { type LedgerBench, useLedger } from './use-ledger.ts';

const DAY_MS = 86_400_000;

/** The changes that can be made to a hold of 100, in a budget with 1000 left. */
const WAYS = {
  held: (bench, job) => bench.hold(job, 100),
  more: (bench, job) => bench.resize(job, 130),
  less: (bench, job) => bench.resize(job, 70),
  'too much': (bench, job) => bench.resize(job, 1001),
  equal: (bench, job) => bench.post(job, 100),
  under: (bench, job) => bench.post(job, 60),
  over: (bench, job) => bench.post(job, 140),
  free: (bench, job) => bench.post(job, 0),
  old: (bench, job) => bench.post(job, 30, 0),
  voided: (bench, job) => bench.void(job),
  review: (bench, job) => bench.review(job),
} satisfies Record<string, (bench: LedgerBench, job: string) => Promise<object>>;
type Way = keyof typeof WAYS;

/** A hold's state, amount, charge and overrun, and what is left of the budget. */
type Stand = readonly [state: string, held: number, charged: number, overrun: number, left: number];

const HELD: Stand = ['pending', 100, 0, 0, 900];
const MORE: Stand = ['pending', 130, 0, 0, 870];
const LESS: Stand = ['pending', 70, 0, 0, 930];
const REVIEW: Stand = ['review', 100, 0, 0, 900];
const EQUAL: Stand = ['posted', 100, 100, 0, 900];
const UNDER: Stand = ['posted', 100, 60, 0, 940];
const OVER: Stand = ['posted', 100, 140, 40, 860];
const FREE: Stand = ['posted', 100, 0, 0, 1000];
const OLD: Stand = ['posted', 100, 30, 0, 970];
const VOIDED: Stand = ['voided', 100, 0, 0, 1000];
const posted = (charged: number, overrun: number): Stand => ['posted', 100, charged, overrun, 1000 - charged];
const late = (charged: number): Stand => ['voided', 100, charged, charged, 1000 - charged];

/**
 * For each state, the result of every change. An amount that was released may have been used by other holds, so a later
 * increase of the charge is an overrun.
 */
const TABLE: readonly (readonly [from: readonly Way[], Stand, Readonly<Record<Way, Stand>>])[] = [
  [
    ['held'],
    HELD,
    {
      held: HELD,
      more: MORE,
      less: LESS,
      'too much': HELD,
      equal: EQUAL,
      under: UNDER,
      over: OVER,
      free: FREE,
      old: OLD,
      voided: VOIDED,
      review: REVIEW,
    },
  ],
  [
    ['held', 'review'],
    REVIEW,
    {
      held: REVIEW,
      more: REVIEW,
      less: REVIEW,
      'too much': REVIEW,
      equal: EQUAL,
      under: UNDER,
      over: OVER,
      free: FREE,
      old: OLD,
      voided: VOIDED,
      review: REVIEW,
    },
  ],
  [
    ['held', 'under'],
    UNDER,
    {
      held: UNDER,
      more: UNDER,
      less: UNDER,
      'too much': UNDER,
      equal: posted(100, 40),
      under: UNDER,
      over: posted(140, 80),
      free: FREE,
      old: UNDER,
      voided: UNDER,
      review: UNDER,
    },
  ],
  [
    ['held', 'over'],
    OVER,
    {
      held: OVER,
      more: OVER,
      less: OVER,
      'too much': OVER,
      equal: EQUAL,
      under: UNDER,
      over: OVER,
      free: FREE,
      old: OVER,
      voided: OVER,
      review: OVER,
    },
  ],
  [
    ['held', 'voided'],
    VOIDED,
    {
      held: VOIDED,
      more: VOIDED,
      less: VOIDED,
      'too much': VOIDED,
      equal: late(100),
      under: late(60),
      over: late(140),
      free: VOIDED,
      // Nothing has been charged yet, so this charge cannot be older than an earlier one.
      old: late(30),
      voided: VOIDED,
      review: VOIDED,
    },
  ],
];

async function standOf(bench: LedgerBench, job: string): Promise<Stand> {
  const hold = await findHold(bench.database.kysely, job);
  if (!hold) throw new TypeError('There is no such hold');
  const { state, amount_micros: held, charged_micros: charged, overrun_micros: overrun } = hold;
  return [state, held, charged, overrun, await bench.left()];
}

/**
 * Returns the result that the ledger should give for a change of a hold; `before` is the hold's state before the
 * change.
 */
function answerOf(way: Way, before: Stand, [state, held, charged, overrun, left]: Stand): object {
  if (way === 'too much' && state === 'pending') {
    // The result describes the cap without this hold.
    return { held: false, needed: 1001, cap: { left: left + held, pending: 0 } };
  }
  const isHold = way === 'held' || way === 'more' || way === 'less' || way === 'too much';
  if (isHold) return { held: true, amount: held, budget: { left } };
  return { state, held, charged, overrun, change: charged - before[2] };
}

test.each(TABLE)(
  'after %j each change leads to the state in the table, also when it is repeated',
  async (from, before, ways) => {
    const bench = await useLedger({ ...DOLLAR_A_DAY, limit: micros(1000) });
    for (const [name, after] of Object.entries(ways)) {
      const way = name as Way;
      for (const each of from) await WAYS[each](bench, name);
      expect(await standOf(bench, name)).toEqual(before);
      for (const former of [before, after]) {
        await bench.clock.advance(1000);
        const answer = await WAYS[way](bench, name);
        expect({ way, ...answer }).toMatchObject({ way, ...answerOf(way, former, after) });
        expect([way, ...(await standOf(bench, name))]).toEqual([way, ...after]);
      }
      // The next change starts on another day, with a budget of its own.
      await bench.clock.advance(DAY_MS);
    }
    const wrong: unknown[] = [];
    await verifyLedger(bench.database.kysely, (difference) => wrong.push(difference));
    expect(wrong).toEqual([]);
  },
);
