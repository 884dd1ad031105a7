import { confirmJob } from '../../../../db/queries/job-price.ts';
import { turnNow } from '../../../../db/queries/job-turns.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Database } from '../../../../db/database.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import { type ShowProgressTools, showProgress } from '../steps/show-progress.ts';
import { waitsForConfirmation } from '../steps/waits-for-confirmation.ts';
import type { Confirmed } from './desk-outcomes.ts';

export interface ConfirmPriceTools extends ShowProgressTools {
  readonly db: Database;
  readonly ledger: Pick<Ledger, 'watches'>;
  readonly clock: Clock;
  readonly nudge: () => void;
}

/**
 * Records that a member confirmed the price. Returns `undefined` if the job has ended in the meantime, and `overrun` if
 * one of the member's earlier charges must be reviewed first.
 */
export async function confirmPrice(
  job: JobRow,
  tools: ConfirmPriceTools,
): Promise<Confirmed | 'overrun' | undefined> {
  const { db, clock, ledger } = tools;
  const going = await db.transaction(`guild:${job.guild_id}`, async (trx) => {
    const whose = { guildId: job.guild_id, userId: job.user_id };
    if (await ledger.watches.find(trx, whose)) return 'overrun';
    return confirmJob(trx, { id: job.id, turn: await turnNow(trx), nowMs: clock.now() });
  });
  if (going === 'overrun') return waitsForConfirmation(job) ? going : undefined;
  if (going) {
    showProgress(going, 'queued', tools);
    tools.nudge();
    return { outcome: 'confirmed', isNew: true };
  }
  const now = await findJob(db.kysely, job.id);
  if (!now || now.confirmed_at_ms === null || now.taken_back !== null) return undefined;
  return { outcome: 'confirmed', isNew: false };
}
