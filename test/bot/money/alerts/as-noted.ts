import type { BudgetAlertsOptions } from '../../../../src/bot/money/alerts/budget-alerts.ts';

/** Budgets that still have the figures of the alert, for tests of the delivery. */
export const AS_NOTED: BudgetAlertsOptions['ledger'] = {
  alertNow: (_db, row) => Promise.resolve({ row, reached: 100 }),
};
