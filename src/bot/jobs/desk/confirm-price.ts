import { confirmJob } from '../../../../db/queries/job-price.ts';
import { turnNow } from '../../../../db/queries/job-turns.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Database } from '../../../../db/database.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { JobPublisher } from '../ports.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import { progressCard } from '../steps/progress-card.ts';
import { replyTarget } from '../steps/reply-target.ts';
import { waitsForYes } from '../steps/waits-for-yes.ts';
import type { Confirmed } from './desk-ports.ts';

export interface ConfirmPriceTools {
  readonly db: Database;
  readonly ledger: Pick<Ledger, 'watches'>;
  readonly publisher: Pick<JobPublisher, 'showProgress'>;
  readonly typical: Pick<TypicalTimes, 'of'>;
  readonly clock: Clock;
  readonly nudge: () => void;
}

/**
 * Stores a member's yes to the price that they were asked about. Returns `undefined` if the job has ended meanwhile, and
 * `overrun` while an earlier charge of the member must be reviewed first.
 */
export async function confirmPrice(
  job: JobRow,
  { db, clock, ledger, publisher, typical, nudge }: ConfirmPriceTools,
): Promise<Confirmed | 'overrun' | undefined> {
  const going = await db.transaction(`guild:${job.guild_id}`, async (trx) => {
    const whose = { guildId: job.guild_id, userId: job.user_id };
    if (await ledger.watches.find(trx, whose)) return 'overrun';
    return confirmJob(trx, { id: job.id, turn: await turnNow(trx), nowMs: clock.now() });
  });
  if (going === 'overrun') return waitsForYes(job) ? going : undefined;
  if (going) {
    publisher.showProgress(replyTarget(going), progressCard(going, 'queued', typical));
    nudge();
    return { outcome: 'confirmed', isNew: true };
  }
  const now = await findJob(db.kysely, job.id);
  if (!now || now.confirmed_at_ms === null || now.taken_back !== null) return undefined;
  return { outcome: 'confirmed', isNew: false };
}
