import type { Insertable } from 'kysely';
import type { Queryable, Schema, Trx } from '../schema.ts';
import type { ReconciliationRow } from '../schema/reconciliations.ts';

export async function insertReconciliation(
  trx: Trx,
  row: Insertable<Schema['reconciliations']>,
): Promise<void> {
  await trx.insertInto('reconciliations').values(row).execute();
}

/** Returns the last comparisons of the books with the service, newest first, at most `limit`. */
export async function listReconciliations(db: Queryable, limit: number): Promise<ReconciliationRow[]> {
  return db.selectFrom('reconciliations').selectAll().orderBy('id', 'desc').limit(limit).execute();
}

/** Deletes all comparisons except the newest `keep`. */
export async function pruneReconciliations(trx: Trx, keep: number): Promise<void> {
  await trx
    .deleteFrom('reconciliations')
    .where('id', 'not in', (eb) =>
      eb.selectFrom('reconciliations').select('id').orderBy('id', 'desc').limit(keep),
    )
    .execute();
}
