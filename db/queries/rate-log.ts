import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';

export type Reservation =
  | { readonly granted: true }
  /** The earliest moment at which another attempt can succeed. */
  | { readonly granted: false; readonly retryAtMs: number };

interface ReserveOptions {
  readonly keyId: string;
  readonly nowMs: number;
  readonly windowMs: number;
  /** The maximum number of grants in any span of `windowMs`. */
  readonly limit: number;
}

/**
 * Grants one request for the key if fewer than `limit` were granted within the last `windowMs` and the key is not
 * frozen.
 */
export async function reserveRate(trx: Trx, options: ReserveOptions): Promise<Reservation> {
  const { keyId, nowMs, windowMs, limit } = options;
  const freeze = await trx
    .selectFrom('rate_freeze')
    .select('until_ms')
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  if (freeze && freeze.until_ms > nowMs) return { granted: false, retryAtMs: freeze.until_ms };
  await dropOutside(trx, options);
  const counted = await trx
    .selectFrom('rate_log')
    .select((eb) => eb.fn.countAll<number>().as('granted'))
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow();
  if (counted.granted >= limit) {
    const inTheWay = await trx
      .selectFrom('rate_log')
      .select('at_ms')
      .where('key_id', '=', keyId)
      .orderBy('at_ms')
      .offset(counted.granted - limit)
      .limit(1)
      .executeTakeFirstOrThrow();
    return { granted: false, retryAtMs: inTheWay.at_ms + windowMs };
  }
  await trx.insertInto('rate_log').values({ key_id: keyId, at_ms: nowMs }).execute();
  return { granted: true };
}

/** Grants nothing to the key until `untilMs`. An earlier freeze that ends later is kept. */
export async function freezeRate(db: Queryable, keyId: string, untilMs: number): Promise<void> {
  await db
    .insertInto('rate_freeze')
    .values({ key_id: keyId, until_ms: untilMs })
    .onConflict((conflict) =>
      conflict
        .column('key_id')
        .doUpdateSet({ until_ms: untilMs })
        .where('rate_freeze.until_ms', '<', untilMs),
    )
    .execute();
}

async function dropOutside(trx: Trx, { keyId, nowMs, windowMs }: ReserveOptions): Promise<void> {
  await trx
    .deleteFrom('rate_log')
    .where('key_id', '=', keyId)
    .where('at_ms', '<=', nowMs - windowMs)
    .execute();
  // If the wall clock was set back, grants with a future time would block requests until then, so they count from now.
  await trx
    .updateTable('rate_log')
    .set({ at_ms: sql`${nowMs}` })
    .where('key_id', '=', keyId)
    .where('at_ms', '>', nowMs + windowMs)
    .execute();
}
