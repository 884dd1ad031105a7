import type { Database } from '../../db/database.ts';
import { formatUsd } from '../base/money.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { ReconciliationNotes } from '../reconciliation/context.ts';
import { Reconciliation } from '../reconciliation/reconciliation.ts';
import { otherUse } from '../reconciliation/report.ts';
import type { Parts } from './parts.ts';

export interface ReconciliationParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
}

/** Opens the comparison of the books with the service; it begins with `start`. */
export function openReconciliation(parts: Parts, { db, ledger, api }: ReconciliationParts): Reconciliation {
  const { options, owned, clock, log } = parts;
  const notes = notesInLog(parts);
  const limits = options.reconciliation;
  return owned.use(new Reconciliation({ db, ledger, api, clock, log, notes, limits }));
}

function notesInLog({ log }: Parts): ReconciliationNotes {
  return {
    drift: (report) =>
      log.error(
        { otherUse: formatUsd(otherUse(report)), foreign: report.books.foreign, drift: report.drift },
        'The account at the service was used beside the jobs of this bot',
      ),
    chargedFailure: (failure) => log.error({ ...failure }, 'The service charged for a failed job'),
  };
}
