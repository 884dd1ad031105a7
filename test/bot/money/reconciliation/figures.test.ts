import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MicroUsd, ZERO, micros } from '../../../../src/base/money.ts';
import {
  type BookTotals,
  type Figures,
  compareTotals,
} from '../../../../src/bot/money/reconciliation/figures.ts';

const totals = ([spent, pending, foreign]: readonly [number, number, number]): BookTotals => ({
  spent: micros(spent),
  pending: micros(pending),
  foreign: micros(foreign),
});

/**
 * Returns the figures if the service reports this amount as spent, and the books do not change during the comparison.
 */
function figures(spent: number, books: readonly [number, number, number], earlier: MicroUsd = ZERO): Figures {
  const service = { spent: micros(spent), balance: ZERO, toppedUp: micros(spent) };
  return compareTotals(service, earlier, { before: totals(books), after: totals(books) });
}

test.each<readonly [number, readonly [number, number, number], number, number]>([
  [100, [100, 0, 0], 0, 0],
  [101, [100, 0, 0], 1, 1],
  [99, [100, 0, 0], -1, -1],
  [100, [60, 0, 40], 0, 0],
  // An amount that is set aside may already be charged at the service.
  [100, [60, 40, 0], 40, 0],
  [101, [60, 40, 0], 41, 1],
  [59, [60, 40, 0], -1, -1],
])(
  'if the service says %i and the books %j (spent, pending, others), the difference is %i and the drift %i',
  (spent, books, difference, drift) => {
    expect(figures(spent, books)).toMatchObject({ difference, drift });
    // The amount spent before the books began affects neither figure.
    expect(figures(spent + 7, books, micros(7))).toMatchObject({ difference, drift });
  },
);

test('the amount that the service holds is the amount topped up minus the balance and the amount spent', () => {
  const service = { spent: micros(30), balance: micros(60), toppedUp: micros(100) };
  const books = { before: totals([30, 0, 0]), after: totals([30, 0, 0]) };
  expect(compareTotals(service, ZERO, books).heldAtService).toBe(10);
});

test('bookings and holds made while the service answers are no drift', () => {
  const amount = fc.nat(1_000);
  const books = fc.tuple(amount, amount, fc.constant(5));
  fc.assert(
    fc.property(books, books, fc.nat(2_500), fc.nat(50), (before, after, ours, earlier) => {
      const service = { spent: micros(ours + earlier + 5), balance: ZERO, toppedUp: ZERO };
      const pair = { before: totals(before), after: totals(after) };
      const { drift, difference } = compareTotals(service, micros(earlier), pair);
      const possible = [0, before[1], after[1]].flatMap((held) => [before[0] + held, after[0] + held]);
      const [least, most] = [Math.min(...possible), Math.max(...possible)];
      expect(difference).toBe(ours - after[0]);
      expect(ours - drift).toBeGreaterThanOrEqual(least);
      expect(ours - drift).toBeLessThanOrEqual(most);
      if (ours >= least && ours <= most) expect(drift).toBe(0);
      else expect([least, most]).toContain(ours - drift);
    }),
  );
});
