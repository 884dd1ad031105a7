import type { BudgetPeriod, BudgetPeriodRow } from '../../db/schema.ts';
import { type MicroUsd, ZERO, addMicros, maxMicros, subtractMicros } from '../base/money.ts';
import type { Window } from './period.ts';

/** How much may be spent per period, and in whose calendar (an IANA time zone) periods begin. */
export interface Budget {
  readonly limit: MicroUsd;
  readonly period: BudgetPeriod;
  readonly timeZone: string;
}

/** A guild's budget as cards show it. */
export interface BudgetView {
  readonly limit: MicroUsd;
  /** Limit less posted and pending; never below 0. */
  readonly left: MicroUsd;
  readonly period: BudgetPeriod;
  readonly resetsAtMs: number;
}

/** The view of `budget` in `window`, of which `totals` were used so far (none: nothing). */
export function viewBudget(
  budget: Budget,
  window: Window,
  totals: Pick<BudgetPeriodRow, 'posted_micros' | 'pending_micros'> | undefined,
): BudgetView {
  const used = totals ? addMicros(totals.posted_micros, totals.pending_micros) : ZERO;
  return {
    limit: budget.limit,
    left: maxMicros(ZERO, subtractMicros(budget.limit, used)),
    period: budget.period,
    resetsAtMs: window.endsAtMs,
  };
}
