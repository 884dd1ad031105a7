import type { MicroUsd } from '../../src/base/money.ts';
import { sql } from 'kysely';
import type { HoldRow, HoldState, NewHold, Queryable, Trx } from '../schema.ts';

export async function findHold(db: Queryable, subject: string): Promise<HoldRow | undefined> {
  return db.selectFrom('holds').selectAll().where('subject', '=', subject).executeTakeFirst();
}

export async function insertHold(trx: Trx, hold: NewHold): Promise<void> {
  await trx.insertInto('holds').values(hold).execute();
}

/** What a hold has come to. */
export interface HoldChange {
  readonly state: HoldState;
  readonly amount_micros?: MicroUsd;
  readonly rate_card?: string;
  readonly charged_micros?: MicroUsd;
  readonly overrun_micros?: MicroUsd;
  readonly charged_as_of_ms?: number | null;
  readonly resolved_at_ms?: number | null;
}

/** Writes what became of a hold. The database refuses to resolve one a second time in another way. */
export async function updateHold(trx: Trx, subject: string, change: HoldChange): Promise<HoldRow> {
  return trx
    .updateTable('holds')
    .set(change)
    .where('subject', '=', subject)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The oldest holds that are not resolved, pending or in review. */
export async function listOpenHolds(
  db: Queryable,
  options: { readonly createdBeforeMs: number; readonly limit: number },
): Promise<HoldRow[]> {
  return db
    .selectFrom('holds')
    .selectAll()
    .where(sql<boolean>`state in ('pending', 'review')`)
    .where('created_at_ms', '<', options.createdBeforeMs)
    .orderBy('created_at_ms')
    .limit(options.limit)
    .execute();
}

/** How many holds wait for somebody to say what became of them. */
export async function countHoldsInReview(db: Queryable): Promise<number> {
  const counted = await db
    .selectFrom('holds')
    .select((eb) => eb.fn.countAll<number>().as('holds'))
    .where(sql<boolean>`state in ('pending', 'review')`)
    .where('state', '=', 'review')
    .executeTakeFirstOrThrow();
  return counted.holds;
}

/** When the first hold ever was made; undefined before there is one. */
export async function firstHeldAtMs(db: Queryable): Promise<number | undefined> {
  const first = await db
    .selectFrom('ledger_entries')
    .select('created_at_ms')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.created_at_ms;
}
