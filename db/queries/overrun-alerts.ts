import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { OverrunWatch } from '../schema/overruns.ts';

/** A watch whose alert one process has taken: `alert_attempts` tells its hold on it from that of others. */
type ClaimedWatch = Pick<OverrunWatch, 'subject' | 'alert_attempts'>;

const isToTell = sql<boolean>`alert_due_at_ms is not null`;

/** The watch whose alert is due longest. */
export async function findDueOverrunAlert(db: Queryable, nowMs: number): Promise<OverrunWatch | undefined> {
  return db
    .selectFrom('overrun_watches')
    .selectAll()
    .where(isToTell)
    .where('alert_due_at_ms', '<=', nowMs)
    .orderBy('alert_due_at_ms')
    .limit(1)
    .executeTakeFirst();
}

/** Takes an alert until `leaseUntilMs`; undefined if it was sent or taken by another process, or is not needed, meanwhile. */
export async function claimOverrunAlert(
  trx: Trx,
  subject: string,
  options: { readonly nowMs: number; readonly leaseUntilMs: number },
): Promise<OverrunWatch | undefined> {
  return trx
    .updateTable('overrun_watches')
    .set({ alert_due_at_ms: options.leaseUntilMs, alert_attempts: sql`alert_attempts + 1` })
    .where('subject', '=', subject)
    .where(isToTell)
    .where('alert_due_at_ms', '<=', options.nowMs)
    .returningAll()
    .executeTakeFirst();
}

/** Writes what became of an alert, unless another process has taken it meanwhile. Null: nothing is left to send. */
export async function updateOverrunAlert(
  db: Queryable,
  claimed: ClaimedWatch,
  change: { readonly alert_due_at_ms: number | null; readonly alert_attempts?: number },
): Promise<void> {
  await db
    .updateTable('overrun_watches')
    .set(change)
    .where('subject', '=', claimed.subject)
    .where('alert_attempts', '=', claimed.alert_attempts)
    .where(isToTell)
    .execute();
}

/** When the next alert is due; undefined when none is left to send. */
export async function nextOverrunAlertAtMs(db: Queryable): Promise<number | undefined> {
  const next = await db
    .selectFrom('overrun_watches')
    .select('alert_due_at_ms')
    .where(isToTell)
    .orderBy('alert_due_at_ms')
    .limit(1)
    .executeTakeFirst();
  return next?.alert_due_at_ms ?? undefined;
}

/** Alerts that waited for a channel are due now: one was chosen. */
export async function releaseOverrunAlerts(trx: Trx, guildId: string, nowMs: number): Promise<void> {
  await trx
    .updateTable('overrun_watches')
    .set({ alert_due_at_ms: nowMs })
    .where('guild_id', '=', guildId)
    .where(isToTell)
    .where('alert_attempts', '=', 0)
    .execute();
}
