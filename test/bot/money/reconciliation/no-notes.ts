import type { ReconciliationNotes } from '../../../../src/bot/money/reconciliation/reconcile-context.ts';

/** Discards all notes. */
export const NO_NOTES: ReconciliationNotes = {
  otherUse: () => Promise.resolve(),
  chargedFailure: () => Promise.resolve(),
  quiet: () => Promise.resolve(),
};
