import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { OperatorAlertKind, OperatorAlertRow } from '../schema/alerts.ts';
import { AlertQueue } from './alert-queue.ts';

/** The operator's alerts that are not closed. */
export const operatorAlertQueue: AlertQueue<OperatorAlertRow> = new AlertQueue({
  table: 'operator_alerts',
  key: 'id',
  dueAt: 'due_at_ms',
  attempts: 'attempts',
  closedAt: 'told_at_ms',
});

/** Returns the alert of this kind that has not ended. */
export async function findOpenOperatorAlert(
  db: Queryable,
  kind: OperatorAlertKind,
): Promise<OperatorAlertRow | undefined> {
  return db
    .selectFrom('operator_alerts')
    .selectAll()
    .where('kind', '=', kind)
    .where(sql<boolean>`over_at_ms is null`)
    .executeTakeFirst();
}

export async function listOpenOperatorAlerts(db: Queryable): Promise<OperatorAlertRow[]> {
  return db
    .selectFrom('operator_alerts')
    .selectAll()
    .where(sql<boolean>`over_at_ms is null`)
    .orderBy('made_at_ms')
    .execute();
}

export async function insertOperatorAlert(
  trx: Trx,
  alert: Omit<OperatorAlertRow, 'attempts' | 'over_at_ms'>,
): Promise<void> {
  await trx
    .insertInto('operator_alerts')
    .values({ ...alert, over_at_ms: null })
    .execute();
}

/** Records that the alert of this kind has ended. Returns false if there was none. */
export async function endOperatorAlert(
  db: Queryable,
  kind: OperatorAlertKind,
  nowMs: number,
): Promise<boolean> {
  const ended = await db
    .updateTable('operator_alerts')
    .set({ over_at_ms: nowMs })
    .where('kind', '=', kind)
    .where(sql<boolean>`over_at_ms is null`)
    .returning('id')
    .executeTakeFirst();
  return ended !== undefined;
}

/** Deletes alerts that ended before `beforeMs`. */
export async function purgeOperatorAlerts(db: Queryable, beforeMs: number): Promise<void> {
  await db.deleteFrom('operator_alerts').where('over_at_ms', '<', beforeMs).execute();
}
