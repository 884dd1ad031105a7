import type { SpendPeriod } from '../../../money/spend/spend-buckets.ts';
import { GATED_NAMES } from '../texts.ts';

/** Everything that costs money: commands, and sessions that are charged by the second. */
export const SPENT_ON: Readonly<Record<string, string>> = GATED_NAMES;

/**
 * Returns the name of something that costs money. For a name that this program does not know, it returns the API's
 * name.
 */
export function spentOnName(capability: string): string {
  return SPENT_ON[capability] ?? capability;
}

/** The periods, worded for the end of a sentence and for the choices of the command. */
export const SPEND_PERIODS: Readonly<
  Record<SpendPeriod, { readonly during: string; readonly choice: string }>
> = {
  day: { during: 'today', choice: 'Today' },
  week: { during: 'this week', choice: 'This week' },
  month: { during: 'this month', choice: 'This month' },
  last_day: { during: 'yesterday', choice: 'Yesterday' },
  last_week: { during: 'last week', choice: 'Last week' },
  last_month: { during: 'last month', choice: 'Last month' },
  total: { during: 'in all', choice: 'Since the beginning' },
};
