import type { Database } from '../../db/database.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { SpendingGate } from '../bot/money/ledger/spending-gate.ts';
import { Live } from '../bot/sessions/live.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';

export interface LiveParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly jobs: Jobs;
  readonly spending: SpendingGate;
  /** Called when a session has ended whose charge cannot be found by its ids in the usage log. */
  readonly onUnnamed: () => void;
}

/** Opens paid sessions; those that an earlier process left are seen to from `start` on. */
export function openLive({ options, owned, clock, log }: Basics, parts: LiveParts): Live {
  const { db, ledger, api, jobs, spending, onUnnamed } = parts;
  const { sessionQuotes: quotes } = jobs;
  const limits = options.liveLimits;
  return owned.use(new Live({ db, ledger, api, quotes, clock, log, spending, limits, onUnnamed }));
}
