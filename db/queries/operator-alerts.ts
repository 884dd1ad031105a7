import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { OperatorAlertKind, OperatorAlertRow } from '../schema/alerts.ts';

/** The alert of that kind that is not over. */
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

/** What an alert is about is over; false when there was none. */
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

/** The alert that is due longest and not told, taken until `leaseUntilMs`. */
export async function claimOperatorAlert(
  trx: Trx,
  options: { readonly nowMs: number; readonly leaseUntilMs: number },
): Promise<OperatorAlertRow | undefined> {
  const due = await trx
    .selectFrom('operator_alerts')
    .select('id')
    .where(sql<boolean>`told_at_ms is null`)
    .where('due_at_ms', '<=', options.nowMs)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
  if (!due) return undefined;
  return trx
    .updateTable('operator_alerts')
    .set({ due_at_ms: options.leaseUntilMs, attempts: sql`attempts + 1` })
    .where('id', '=', due.id)
    .where('told_at_ms', 'is', null)
    .where('due_at_ms', '<=', options.nowMs)
    .returningAll()
    .executeTakeFirst();
}

/** Writes what became of an alert, unless another process has taken it meanwhile. */
export async function updateOperatorAlert(
  db: Queryable,
  claimed: Pick<OperatorAlertRow, 'id' | 'attempts'>,
  change: { readonly due_at_ms?: number; readonly told_at_ms?: number },
): Promise<void> {
  await db
    .updateTable('operator_alerts')
    .set(change)
    .where('id', '=', claimed.id)
    .where('attempts', '=', claimed.attempts)
    .where('told_at_ms', 'is', null)
    .execute();
}

/** When the next alert is due; undefined when none is left to tell. */
export async function nextOperatorAlertAtMs(db: Queryable): Promise<number | undefined> {
  const next = await db
    .selectFrom('operator_alerts')
    .select('due_at_ms')
    .where(sql<boolean>`told_at_ms is null`)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
  return next?.due_at_ms;
}

/** Forgets alerts that were over before `beforeMs`. */
export async function purgeOperatorAlerts(db: Queryable, beforeMs: number): Promise<void> {
  await db.deleteFrom('operator_alerts').where('over_at_ms', '<', beforeMs).execute();
}
