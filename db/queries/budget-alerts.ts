import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { BudgetAlertRow, NewBudgetAlert } from '../schema/alerts.ts';
import { AlertQueue } from './alert-queue.ts';

/** The budget alerts that are not closed. */
export const budgetAlertQueue: AlertQueue<BudgetAlertRow> = new AlertQueue({
  table: 'budget_alerts',
  key: 'id',
  dueAt: 'due_at_ms',
  attempts: 'attempts',
  closedAt: 'told_at_ms',
});

/**
 * Whether the cap of `alert` has another alert, for a higher percentage in the same window. An open alert counts only
 * if its percentage is at most `percentMax`.
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

/**
 * Deletes an open alert whose percentage is no longer reached. A new alert is inserted if the percentage is reached
 * again.
 */
export async function dropAlert(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('budget_alerts').where('id', '=', id).where('told_at_ms', 'is', null).execute();
}

/** Makes the alerts due that were waiting for the guild to choose a channel. Call it when a channel has been chosen. */
export async function releaseAlerts(trx: Trx, guildId: string, nowMs: number): Promise<void> {
  await trx
    .updateTable('budget_alerts')
    .set({ due_at_ms: nowMs })
    .where('guild_id', '=', guildId)
    .where('told_at_ms', 'is', null)
    .where('attempts', '=', 0)
    .execute();
}

/** Deletes closed alerts of a guild whose windows ended before `beforeMs`. */
export async function deleteClosedAlerts(trx: Trx, guildId: string, beforeMs: number): Promise<void> {
  await trx
    .deleteFrom('budget_alerts')
    .where('guild_id', '=', guildId)
    .where('ends_at_ms', '<', beforeMs)
    .where('told_at_ms', 'is not', null)
    .execute();
}

/** Inserts alerts. Existing alerts for the same percentage and window stay unchanged. */
export async function insertAlerts(trx: Trx, alerts: readonly NewBudgetAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await trx
    .insertInto('budget_alerts')
    .values(alerts)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
