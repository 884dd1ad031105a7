import type { Queryable } from '../schema.ts';
import type { DeliveryRow, NewDelivery } from '../schema/webhook-deliveries.ts';

/** Stores the deliveries whose id is not stored yet. Returns their ids. */
export async function insertDeliveries(db: Queryable, deliveries: readonly NewDelivery[]): Promise<string[]> {
  const inserted = await db
    .insertInto('webhook_deliveries')
    .values(deliveries)
    .onConflict((conflict) => conflict.column('delivery_id').doNothing())
    .returning('delivery_id')
    .execute();
  return inserted.map((row) => row.delivery_id);
}

/**
 * Returns the unprocessed deliveries for a job, oldest first, at most `limit`: those that name its id at the service,
 * and those sent to its callback token, which may have arrived before that id was stored.
 */
export async function listDeliveriesOfJob(
  db: Queryable,
  job: { readonly serviceJobId: string | null; readonly callbackToken: string },
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('processed_at_ms', 'is', null)
    .where((eb) =>
      eb.or([
        eb('callback_token', '=', job.callbackToken),
        ...(job.serviceJobId === null ? [] : [eb('service_job_id', '=', job.serviceJobId)]),
      ]),
    )
    .orderBy('received_at_ms')
    .limit(limit)
    .execute();
}

/**
 * Deletes at most `limit` deliveries that were processed before `beforeMs`, or that arrived before it and were never
 * processed. Returns their number.
 */
export async function purgeDeliveries(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<number> {
  const purged = await db
    .deleteFrom('webhook_deliveries')
    .where('delivery_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('delivery_id')
        .where((eb) =>
          eb.or([
            eb('processed_at_ms', '<', options.beforeMs),
            eb('processed_at_ms', 'is', null).and('received_at_ms', '<', options.beforeMs),
          ]),
        )
        .limit(options.limit),
    )
    .executeTakeFirst();
  return Number(purged.numDeletedRows);
}

/**
 * Records that no delivery to a job's callback token needs processing, and deletes the bodies, which contain a signed
 * link. The ids are kept, so that a repeat is recognised.
 */
export async function closeDeliveriesOfJob(
  db: Queryable,
  callbackToken: string,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ processed_at_ms: nowMs, body: new Uint8Array() })
    .where('callback_token', '=', callbackToken)
    .where('processed_at_ms', 'is', null)
    .execute();
}
