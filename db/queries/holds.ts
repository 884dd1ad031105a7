import { type MicroUsd, ZERO, micros } from '../../src/base/money.ts';
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

/** Open holds of one state together. */
export interface OpenHolds {
  readonly count: number;
  readonly amount: MicroUsd;
  readonly oldestAtMs: number | null;
}

/** What is set aside just now over all guilds. */
export async function sumOpenHolds(
  db: Queryable,
): Promise<{ readonly pending: OpenHolds; readonly review: OpenHolds }> {
  const rows = await db
    .selectFrom('holds')
    .select([
      'state',
      sql<number>`count(*)`.as('count'),
      sql<number>`cast(sum(amount_micros) as bigint)`.as('amount'),
    ])
    .select(sql<number>`min(created_at_ms)`.as('oldest_at_ms'))
    .where(sql<boolean>`state in ('pending', 'review')`)
    .groupBy('state')
    .execute();
  const of = (state: HoldState): OpenHolds => {
    const row = rows.find((one) => one.state === state);
    if (!row) return { count: 0, amount: ZERO, oldestAtMs: null };
    const { count, amount, oldest_at_ms: oldestAtMs } = row;
    return { count, amount: micros(amount), oldestAtMs };
  };
  return { pending: of('pending'), review: of('review') };
}

/** Open holds in these states, oldest first. */
export async function pageOpenHolds(
  db: Queryable,
  states: readonly ('pending' | 'review')[],
  page: { readonly offset: number; readonly limit: number },
): Promise<HoldRow[]> {
  return db
    .selectFrom('holds')
    .selectAll()
    .where(sql<boolean>`state in ('pending', 'review')`)
    .where('state', 'in', states)
    .orderBy('created_at_ms')
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
}
