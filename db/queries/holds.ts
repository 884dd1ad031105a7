import { type MicroUsd, ZERO, micros } from '../../src/base/money.ts';
import { sql } from 'kysely';
import { prepared } from '../prepared.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { HoldRow, HoldState } from '../schema/ledger.ts';

const find = prepared((db, key: { readonly subject: string }) =>
  db.selectFrom('holds').selectAll().where('subject', '=', key.subject),
);

export async function findHold(db: Queryable, subject: string): Promise<HoldRow | undefined> {
  const [hold] = await find(db, { subject });
  return hold;
}

/** A new hold. Its state is pending. */
export type NewHold = Pick<
  HoldRow,
  | 'subject'
  | 'guild_id'
  | 'user_id'
  | 'role_ids'
  | 'capability'
  | 'amount_micros'
  | 'slot_ms'
  | 'rate_card'
  | 'created_at_ms'
>;

const insert = prepared((db, hold: NewHold) =>
  db.insertInto('holds').values({
    subject: hold.subject,
    guild_id: hold.guild_id,
    user_id: hold.user_id,
    role_ids: hold.role_ids,
    capability: hold.capability,
    amount_micros: hold.amount_micros,
    state: 'pending',
    slot_ms: hold.slot_ms,
    rate_card: hold.rate_card,
    created_at_ms: hold.created_at_ms,
  }),
);

export async function insertHold(trx: Trx, hold: NewHold): Promise<void> {
  await insert(trx, hold);
}

/** The columns of a hold that may change. */
type HoldChange = Partial<
  Pick<
    HoldRow,
    | 'state'
    | 'amount_micros'
    | 'rate_card'
    | 'charged_micros'
    | 'overrun_micros'
    | 'charged_as_of_ms'
    | 'resolved_at_ms'
  >
>;

const update = prepared((db, hold: Required<HoldChange> & { readonly subject: string }) =>
  db
    .updateTable('holds')
    .set({
      state: hold.state,
      amount_micros: hold.amount_micros,
      rate_card: hold.rate_card,
      charged_micros: hold.charged_micros,
      overrun_micros: hold.overrun_micros,
      charged_as_of_ms: hold.charged_as_of_ms,
      resolved_at_ms: hold.resolved_at_ms,
    })
    .where('subject', '=', hold.subject),
);

/**
 * Changes a hold that was read in the same transaction, and returns it after the change. The database refuses
 * to change the state of a hold that was posted or voided.
 */
export async function updateHold(trx: Trx, hold: HoldRow, change: HoldChange): Promise<HoldRow> {
  const changed = { ...hold, ...change };
  await update(trx, changed);
  return changed;
}

/** Returns the oldest holds that are pending or in review. */
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

/** The number and the sum of the open holds in one state. */
interface OpenHolds {
  readonly count: number;
  readonly amount: MicroUsd;
  readonly oldestAtMs: number | null;
}

/** Returns the amounts that are set aside across all guilds. */
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

/** Returns open holds in the given states, oldest first. */
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
    .orderBy('subject')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
}

export async function countHoldsInReview(db: Queryable): Promise<number> {
  const counted = await db
    .selectFrom('holds')
    .select((eb) => eb.fn.countAll<number>().as('holds'))
    .where(sql<boolean>`state in ('pending', 'review')`)
    .where('state', '=', 'review')
    .executeTakeFirstOrThrow();
  return counted.holds;
}
