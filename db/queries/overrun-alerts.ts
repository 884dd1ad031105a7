import { sql } from 'kysely';
import type { Trx } from '../schema.ts';
import type { OverrunWatch } from '../schema/overruns.ts';
import { AlertQueue } from './alert-queue.ts';

/** The overrun watches whose alert has not been sent yet. */
export const overrunAlertQueue: AlertQueue<OverrunWatch> = new AlertQueue({
  table: 'overrun_watches',
  key: 'subject',
  dueAt: 'alert_due_at_ms',
  attempts: 'alert_attempts',
});

/** Makes the alerts due that were waiting for the guild to choose a channel. Call it when a channel has been chosen. */
export async function releaseOverrunAlerts(trx: Trx, guildId: string, nowMs: number): Promise<void> {
  await trx
    .updateTable('overrun_watches')
    .set({ alert_due_at_ms: nowMs })
    .where('guild_id', '=', guildId)
    .where(sql<boolean>`alert_due_at_ms is not null`)
    .where('alert_attempts', '=', 0)
    .execute();
}
