import { type MicroUsd, ZERO, addMicros, micros, subtractMicros } from '../../../base/money.ts';

/** What all guilds' books, and those of foreign use, hold together. */
export interface BookTotals {
  /** Posted in all guilds since ever. */
  readonly spent: MicroUsd;
  /** Set aside, pending or in review. */
  readonly pending: MicroUsd;
  /** What others used of the account, as far as single calls of theirs are known. */
  readonly foreign: MicroUsd;
}

/** What the service says of the whole account. */
export interface ServiceTotals {
  readonly spent: MicroUsd;
  readonly balance: MicroUsd;
  readonly toppedUp: MicroUsd;
}

/** How the books and the service compare. */
export interface Figures {
  /** The service's total, less what was spent before the books began, less spent and foreign in the books. */
  readonly difference: MicroUsd;
  /** The part of `difference` that work under way cannot explain: above 0 other use, below 0 too much in the books. */
  readonly drift: MicroUsd;
  /** Topped up, less the balance, less spent: what the service holds for work under way. */
  readonly heldAtService: MicroUsd;
}

/**
 * Compares totals. `before` and `after` are the books as they were before and after the service was asked: jobs go on
 * meanwhile, so whatever lies between is no drift. `spentEarlier`: at the service before the books began.
 */
export function compareTotals(
  service: ServiceTotals,
  spentEarlier: MicroUsd,
  books: { readonly before: BookTotals; readonly after: BookTotals },
): Figures {
  const { before, after } = books;
  const ours = subtractMicros(service.spent, addMicros(spentEarlier, after.foreign));
  const least = Math.min(before.spent, after.spent);
  const most = Math.max(before.spent, after.spent) + Math.max(before.pending, after.pending);
  return {
    difference: subtractMicros(ours, after.spent),
    drift: ours > most ? micros(ours - most) : ours < least ? micros(ours - least) : ZERO,
    heldAtService: subtractMicros(subtractMicros(service.toppedUp, service.balance), service.spent),
  };
}
