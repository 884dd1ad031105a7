import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WireUsageRecord } from '../../../../src/media-api/wire.ts';
import { type AccountBench, useAccount } from './use-account.ts';

type Happening =
  | { readonly kind: 'job'; readonly cents: number; readonly books: 'posted' | 'review' | 'wrong' }
  | { readonly kind: 'foreign'; readonly cents: number }
  /** A comparison that sees only some parts of the log, in either order, and some parts twice. */
  | { readonly kind: 'compare'; readonly seen: number; readonly isReversed: boolean };

const HAPPENINGS_MAX = 14;
/**
 * The number of calls that agree with the log. Ids are trusted only if more than three times as many calls agree as
 * differ, so this is more than three times the number of calls that can be booked wrong.
 */
const KNOWN = 3 * HAPPENINGS_MAX + 1;

const cents = fc.integer({ min: 1, max: 4 });
const happenings = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('job' as const),
      cents,
      books: fc.constantFrom('posted' as const, 'posted' as const, 'review' as const, 'wrong' as const),
    }),
    fc.record({ kind: fc.constant('foreign' as const), cents }),
    fc.record({
      kind: fc.constant('compare' as const),
      seen: fc.integer({ min: 0, max: 2 ** 16 }),
      isReversed: fc.boolean(),
    }),
  ),
  { minLength: 1, maxLength: HAPPENINGS_MAX },
);

/** A case in which many calls are booked wrong, so that a smaller number of agreeing calls would not be enough. */
const manyWrong: Happening[] = [
  ...Array.from({ length: HAPPENINGS_MAX - 1 }, () => ({ kind: 'job', cents: 1, books: 'wrong' }) as const),
  { kind: 'compare', seen: 0, isReversed: false },
];

const whole = (page: readonly WireUsageRecord[]): readonly WireUsageRecord[] => page;

async function live(bench: AccountBench, all: readonly Happening[], hasPages: boolean): Promise<void> {
  for (let index = 0; index < KNOWN; index++) await bench.job(`known_${index}`, { guildId: 'known' });
  for (const [index, what] of all.entries()) {
    if (what.kind === 'foreign') await bench.foreign(what.cents);
    else if (what.kind === 'job') {
      const isWrong = what.books === 'wrong';
      await bench.job(`${index}`, {
        cents: what.cents,
        books: isWrong ? 'posted' : what.books,
        ...(isWrong ? { bookedCents: what.cents + 1 } : {}),
        ...(what.books === 'review' ? { row: { outcome: 'unknown' } } : {}),
      });
    } else if (hasPages) await comparePart(bench, what);
  }
  // The service has deleted the jobs, so only its log has their prices.
  bench.jobs.clear();
  bench.log = { ...bench.log, shuffle: whole };
  await bench.compare();
}

async function comparePart(
  bench: AccountBench,
  part: Happening & { readonly kind: 'compare' },
): Promise<void> {
  bench.log = {
    ...bench.log,
    shuffle: (page) => {
      const some = page.filter((_, index) => (part.seen >> (index % 16)) & 1);
      return part.isReversed ? [...some, ...some].toReversed() : some;
    },
  };
  await bench.compare();
}

/** Returns what the service really charged, in cents, by payer. */
function truthOf(all: readonly Happening[]): { spent: number; foreign: number } {
  const sum = (kind: string): number =>
    all.reduce((total, what) => total + (what.kind === kind && 'cents' in what ? what.cents : 0), 0);
  return { spent: sum('job'), foreign: sum('foreign') };
}

test('the books end at what was charged, whatever pages of the log are seen, in any order and number', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (all) => {
      const bench = await useAccount();
      await live(bench, all, true);
      const { spent, foreign } = truthOf(all);
      expect(await bench.cents('guild')).toEqual({ spent, pending: 0, foreign: 0 });
      expect(await bench.cents('')).toEqual({ spent: 0, pending: 0, foreign });
      expect(await bench.compare()).toMatchObject({ difference: 0, drift: 0 });
      expect(await bench.differences()).toEqual([]);
    }),
    { numRuns: 10, examples: [[manyWrong]] },
  );
}, 120_000);

test('if ids do not help, what is booked is true, and the rest is shown as a difference', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (all) => {
      const bench = await useAccount({ hasEqualIds: false });
      const right = all.map((what) =>
        what.kind === 'job' && what.books === 'wrong' ? { ...what, books: 'posted' as const } : what,
      );
      await live(bench, right, true);
      const truth = truthOf(right);
      // The final comparison in `live` may enable the next comparison to tell two calls apart, so the test compares
      // once more before it reads the books.
      const { difference } = await bench.compare();
      const guild = await bench.cents('guild');
      const others = await bench.cents('');
      expect(guild.spent).toBeLessThanOrEqual(truth.spent);
      expect(others.foreign).toBeLessThanOrEqual(truth.foreign);
      for (const hold of await bench.database.kysely.selectFrom('holds').selectAll().execute()) {
        const what = right[Number(hold.subject.slice('job_'.length))];
        if (what?.kind === 'job' && hold.state === 'posted') {
          expect(hold.charged_micros).toBe(what.cents * 10_000);
        }
        expect(hold.state).not.toBe('voided');
      }
      expect(await bench.differences()).toEqual([]);
      expect(difference / 10_000).toBe(truth.spent + truth.foreign - guild.spent - others.foreign);
    }),
    { numRuns: 10 },
  );
}, 120_000);
