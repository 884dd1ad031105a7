import { confirmJob } from '../../../db/queries/job-price.ts';
import { turnNow } from '../../../db/queries/job-turns.ts';
import { findJob } from '../../../db/queries/jobs.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import { progressCard, replyTarget } from '../step.ts';
import type { Confirmed } from './desk-ports.ts';
import type { TakeBackContext } from './take-back.ts';

/** A member's yes to the price that they were asked about; undefined when the job has ended meanwhile. */
export async function confirmPrice(job: JobRow, context: TakeBackContext): Promise<Confirmed | undefined> {
  const { db, clock, publisher, typical, nudge } = context;
  const going = await db.transaction(`guild:${job.guild_id}`, async (trx) =>
    confirmJob(trx, { id: job.id, turn: await turnNow(trx), nowMs: clock.now() }),
  );
  if (going) {
    publisher.showProgress(replyTarget(going), progressCard(going, 'queued', typical));
    nudge();
    return { outcome: 'confirmed', isNew: true };
  }
  const now = await findJob(db.kysely, job.id);
  if (!now || now.confirmed_at_ms === null || now.taken_back !== null) return undefined;
  return { outcome: 'confirmed', isNew: false };
}
