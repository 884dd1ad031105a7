import type { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';

/** Budgets whose figures are still the same as in the alert, for tests of the delivery. */
export const AS_NOTED: Pick<Ledger, 'alertNow'> = {
  alertNow: (_db, row) => Promise.resolve({ row, reached: 100 }),
};
