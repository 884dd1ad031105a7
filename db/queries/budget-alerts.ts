import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { BudgetAlertRow, NewBudgetAlert } from '../schema/alerts.ts';

/** An alert that one process has taken: `attempts` tells its hold on it from that of others. */
type ClaimedAlert = Pick<BudgetAlertRow, 'id' | 'attempts'>;

/** The alert that is due longest and not told. */
export async function findDueAlert(db: Queryable, nowMs: number): Promise<BudgetAlertRow | undefined> {
  return db
    .selectFrom('budget_alerts')
    .selectAll()
    .where(sql<boolean>`told_at_ms is null`)
    .where('due_at_ms', '<=', nowMs)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
}

/** Takes an alert until `leaseUntilMs`; undefined when it was told, or taken by another process, meanwhile. */
export async function claimAlert(
  trx: Trx,
  id: string,
  options: { readonly nowMs: number; readonly leaseUntilMs: number },
): Promise<BudgetAlertRow | undefined> {
  return trx
    .updateTable('budget_alerts')
    .set({ due_at_ms: options.leaseUntilMs, attempts: sql`attempts + 1` })
    .where('id', '=', id)
    .where('told_at_ms', 'is', null)
    .where('due_at_ms', '<=', options.nowMs)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Whether the same cap reached a higher part of its limit in the same window: one up to `percentMax`, or one that was
 * told.
 */
export async function hasHigherAlert(
  db: Queryable,
  alert: BudgetAlertRow,
  percentMax: number,
): Promise<boolean> {
  const higher = await db
    .selectFrom('budget_alerts')
    .select('id')
    .where('guild_id', '=', alert.guild_id)
    .where('target_kind', '=', alert.target_kind)
    .where('target_id', '=', alert.target_id)
    .where('user_id', '=', alert.user_id)
    .where('capability', '=', alert.capability)
    .where('period', '=', alert.period)
    .where('starts_at_ms', '=', alert.starts_at_ms)
    .where('percent', '>', alert.percent)
    .where(sql<boolean>`(percent <= ${percentMax} or told_at_ms is not null)`)
    .limit(1)
    .executeTakeFirst();
  return higher !== undefined;
}

/** Writes what became of an alert, unless another process has taken it meanwhile. */
export async function updateAlert(
  db: Queryable,
  claimed: ClaimedAlert,
  change: {
    readonly due_at_ms?: number;
    readonly attempts?: number;
    readonly told_at_ms?: number;
  },
): Promise<void> {
  await db
    .updateTable('budget_alerts')
    .set(change)
    .where('id', '=', claimed.id)
    .where('attempts', '=', claimed.attempts)
    .where('told_at_ms', 'is', null)
    .execute();
}

/** Removes an alert that does not hold now; what is reached again later is noted again. */
export async function dropAlert(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('budget_alerts').where('id', '=', id).where('told_at_ms', 'is', null).execute();
}

/** When the next alert is due; undefined when none is left to tell. */
export async function nextAlertAtMs(db: Queryable): Promise<number | undefined> {
  const next = await db
    .selectFrom('budget_alerts')
    .select('due_at_ms')
    .where(sql<boolean>`told_at_ms is null`)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
  return next?.due_at_ms;
}

/** Alerts that waited for a channel are due now: one was chosen. */
export async function releaseAlerts(trx: Trx, guildId: string, nowMs: number): Promise<void> {
  await trx
    .updateTable('budget_alerts')
    .set({ due_at_ms: nowMs })
    .where('guild_id', '=', guildId)
    .where('told_at_ms', 'is', null)
    .where('attempts', '=', 0)
    .execute();
}

/** Forgets alerts of a guild that were told, of windows that ended before `beforeMs`. */
export async function forgetAlerts(trx: Trx, guildId: string, beforeMs: number): Promise<void> {
  await trx
    .deleteFrom('budget_alerts')
    .where('guild_id', '=', guildId)
    .where('ends_at_ms', '<', beforeMs)
    .where('told_at_ms', 'is not', null)
    .execute();
}

/** Notes what caps have reached; what was noted before stays as it was. */
export async function insertAlerts(trx: Trx, alerts: readonly NewBudgetAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await trx
    .insertInto('budget_alerts')
    .values(alerts)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
