import type { BudgetAlertsOptions } from '../../../../src/bot/money/alerts/budget-alerts.ts';

/** Budgets that stand as they were noted, for tests of how alerts are delivered. */
export const AS_NOTED: BudgetAlertsOptions['ledger'] = {
  alertNow: (_db, row) => Promise.resolve({ row, reached: 100 }),
};
