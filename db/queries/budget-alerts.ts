import type { NewBudgetAlert, Trx } from '../schema.ts';

/** Notes what caps have reached; what was noted before stays as it was. */
export async function insertAlerts(trx: Trx, alerts: readonly NewBudgetAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await trx
    .insertInto('budget_alerts')
    .values(alerts)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
