import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from './cap.ts';

/** The most that may be spent in each period, and the IANA time zone that determines when a period begins. */
export interface Budget {
  readonly limit: MicroUsd;
  readonly period: CapPeriod;
  readonly timeZone: string;
}

/** A guild's budget as cards show it: of the caps on all of the guild's spending, the one with the least left. */
export interface BudgetView {
  readonly limit: MicroUsd;
  /** The limit minus posted and pending amounts, but at least 0. */
  readonly left: MicroUsd;
  readonly period: CapPeriod;
  /** Null if the window never ends (`total`). */
  readonly resetsAtMs: number | null;
}

/** Whether a cap limits all of a guild's spending. */
export function isGuildWide({ target, capability }: Pick<CapView, 'target' | 'capability'>): boolean {
  return capability === null && target.kind !== 'role' && target.kind !== 'member';
}

/** Returns the cap with the least left. If several have the same amount left, it is the one whose window ends last. */
export function shortestOf(views: readonly CapView[]): CapView | undefined {
  return views.toSorted(
    (a, b) => a.left - b.left || (b.resetsAtMs ?? Infinity) - (a.resetsAtMs ?? Infinity),
  )[0];
}

/** Returns the budget that results from a guild's caps. Throws `TypeError` if none of them limits all spending. */
export function budgetOf(views: readonly CapView[]): BudgetView {
  const shortest = shortestOf(views.filter(isGuildWide));
  if (!shortest)
    throw new TypeError('Cannot find the budget of a guild: every guild has at least the default');
  const { limit, left, period, resetsAtMs } = shortest;
  return { limit, left, period, resetsAtMs };
}
