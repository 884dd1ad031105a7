import { confirmJob } from '../../../../db/queries/job-price.ts';
import { turnNow } from '../../../../db/queries/job-turns.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { progressCard, replyTarget, waitsForYes } from '../steps/step.ts';
import type { TakeBackContext } from './take-back.ts';
import type { Confirmed } from './desk-outcomes.ts';

/**
 * A member's yes to the price that they were asked about; undefined if the job has ended meanwhile, `overrun` while an
 * earlier charge of the member must be reviewed first.
 */
export async function confirmPrice(
  job: JobRow,
  context: TakeBackContext,
): Promise<Confirmed | 'overrun' | undefined> {
  const { db, clock, ledger, publisher, typical, nudge } = context;
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
