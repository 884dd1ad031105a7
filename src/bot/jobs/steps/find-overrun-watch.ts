import type { Database } from '../../../../db/database.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';

export interface FindOverrunWatchTools {
  readonly db: Database;
  readonly ledger: Pick<Ledger, 'watches'>;
}

/** Finds a charge of the member in this guild that was far above its hold and has not been reviewed yet. */
export function findOverrunWatch(
  job: JobRow,
  { db, ledger }: FindOverrunWatchTools,
): Promise<OverrunWatch | undefined> {
  return ledger.watches.find(db.kysely, { guildId: job.guild_id, userId: job.user_id });
}
