import type { ReconciliationNotes } from '../../../../src/bot/money/reconciliation/reconcile-context.ts';

/** Notes that are discarded. */
export const NO_NOTES: ReconciliationNotes = {
  otherUse: () => Promise.resolve(),
  chargedFailure: () => Promise.resolve(),
  quiet: () => Promise.resolve(),
};
