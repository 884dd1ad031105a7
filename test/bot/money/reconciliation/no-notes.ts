import type { ReconciliationNotes } from '../../../../src/bot/money/reconciliation/reconcile-context.ts';

/** Nobody is told of anything. */
export const NO_NOTES: ReconciliationNotes = {
  otherUse: () => Promise.resolve(),
  chargedFailure: () => Promise.resolve(),
  quiet: () => Promise.resolve(),
};
