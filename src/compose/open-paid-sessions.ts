import type { Database } from '../../db/database.ts';
import type { Reconciliation } from '../bot/money/reconciliation/reconciliation.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { SpendingGate } from '../bot/money/ledger/spending-gate.ts';
import { PaidSessions } from '../bot/sessions/paid-sessions.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';

export interface PaidSessionsParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly jobs: Jobs;
  readonly spending: SpendingGate;
  readonly reconciliation: Reconciliation;
}

/**
 * Opens paid sessions. Once started, they also settle the sessions that an earlier process left open. If no
 * record in the usage log has a session's id, a reconciliation is started early to find the session's charge.
 */
export function openPaidSessions(
  { options, owned, clock, log }: Basics,
  parts: PaidSessionsParts,
): PaidSessions {
  const { db, ledger, api, jobs, spending, reconciliation } = parts;
  const { sessionQuotes: quotes } = jobs;
  const limits = options.liveLimits;
  const onUnnamed = (): void => reconciliation.soon();
  return owned.use(new PaidSessions({ db, ledger, api, quotes, clock, log, spending, limits, onUnnamed }));
}
