import { cancelUnsentJob, takeBackJob } from '../../../../db/queries/job-desk.ts';
import type { Database } from '../../../../db/database.ts';
import type { JobRow, TakenBack } from '../../../../db/schema/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import { isOver } from './job-view.ts';
import type { TookBack } from './desk-outcomes.ts';

export interface TakeBackTools {
  readonly db: Database;
  readonly ledger: Pick<Ledger, 'void'>;
  readonly clock: Clock;
}

interface Taken {
  readonly when: TookBack['when'];
  readonly known: JobRow;
}

/**
 * Records that a job was cancelled or deleted, and voids its hold if the job has not been sent to the service yet.
 * Returns `undefined` if it is too late.
 */
export async function takeBack(
  job: JobRow,
  takenBack: TakenBack,
  { db, ledger, clock }: TakeBackTools,
): Promise<Taken | undefined> {
  const change = { id: job.id, takenBack, nowMs: clock.now() };
  return db.transaction(`guild:${job.guild_id}`, async (trx) => {
    const unsent = await cancelUnsentJob(trx, change);
    if (unsent) {
      await ledger.void(trx, { subject: job.id });
      return { when: 'before_sending', known: unsent };
    }
    const known = await takeBackJob(trx, change);
    return known && { when: isOver(known) ? 'ended' : 'at_service', known };
  });
}
