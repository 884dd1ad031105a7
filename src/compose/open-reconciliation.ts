import type { Database } from '../../db/database.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Operator } from '../bot/people/operator/operator.ts';
import type { ReconciliationNotes } from '../bot/money/reconciliation/reconcile-context.ts';
import { Reconciliation } from '../bot/money/reconciliation/reconciliation.ts';
import type { Basics } from './basics.ts';

interface ReconciliationParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly operator: Operator;
}

/** Opens the comparison of the books with the service's records. It does nothing before it is started. */
export function openReconciliation(
  basics: Basics,
  { db, ledger, api, operator }: ReconciliationParts,
): Reconciliation {
  const { options, owned, clock, log } = basics;
  const notes: ReconciliationNotes = {
    otherUse: ({ books: { foreign }, drift }) =>
      operator.raiseComparisonAlert({ kind: 'other_use', foreign, drift }),
    chargedFailure: ({ jobId, charged }) =>
      operator.raiseComparisonAlert({ kind: 'charged_failure', jobId, charged }),
    quiet: () => operator.endComparisonAlerts(),
  };
  const limits = options.reconciliation;
  return owned.use(new Reconciliation({ db, ledger, api, clock, log, notes, limits }));
}
