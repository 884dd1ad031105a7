import { type MicroUsd, ZERO, addMicros, micros, subtractMicros } from '../../../base/money.ts';

/** The totals in the books for all guilds and for foreign use. */
export interface BookTotals {
  /** The amount posted across all guilds since the books began. */
  readonly spent: MicroUsd;
  /** The amount set aside, pending or in review. */
  readonly pending: MicroUsd;
  /** The amount charged for the known calls by other users of the account. */
  readonly foreign: MicroUsd;
}

/** The totals that the service reports for the whole account. */
export interface ServiceTotals {
  readonly spent: MicroUsd;
  readonly balance: MicroUsd;
  readonly toppedUp: MicroUsd;
}

/** The result of comparing the totals in the books with the service's. */
export interface Figures {
  /** The service's total minus the amount spent before the books began, and minus the books' `spent` and `foreign`. */
  readonly difference: MicroUsd;
  /**
   * The part of `difference` that running work cannot explain. It is positive if others used the account, and negative
   * if the books contain too much.
   */
  readonly drift: MicroUsd;
  /**
   * The amount that the service holds for running work: the amount topped up minus the balance and minus the amount
   * spent.
   */
  readonly heldAtService: MicroUsd;
}

/**
 * Compares totals. `before` and `after` are the books before and after the request to the service. Jobs continue
 * meanwhile, so a service total between the two is not drift. `spentEarlier` is the amount spent at the service before
 * the books began.
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
