import { sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import { prepared, preparedChange } from '../prepared.ts';
import type { Queryable, Trx } from '../schema.ts';

/** The changes to running totals. Each may be negative. */
export interface TotalsChange {
  readonly posted: number;
  readonly pending: number;
  readonly overrun: number;
}

/** The running totals of spending. `posted` includes `overrun`. */
export interface SpendingTotals {
  readonly posted: MicroUsd;
  readonly pending: MicroUsd;
  readonly overrun: MicroUsd;
}

export interface SpendingKey {
  readonly guildId: string;
  readonly slotMs: number;
  readonly userId: string;
  readonly capability: string;
}

type KeyParameters = Record<'guildId' | 'userId' | 'capability', string> & { slotMs: number };

const add = prepared((db, to: KeyParameters & { amount: MicroUsd }) =>
  db
    .insertInto('spending')
    .values({
      guild_id: to.guildId,
      slot_ms: to.slotMs,
      user_id: to.userId,
      capability: to.capability,
      pending_micros: to.amount,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['guild_id', 'slot_ms', 'user_id', 'capability'])
        .doUpdateSet({ pending_micros: sql`spending.pending_micros + ${to.amount}` }),
    ),
);

/** Adds a held amount to a row of `spending`, and creates the row if needed. */
export async function addPending(trx: Trx, key: SpendingKey, amount: MicroUsd): Promise<void> {
  await add(trx, { ...key, amount });
}

const change = preparedChange((db, to: KeyParameters & Record<keyof TotalsChange, number>) =>
  db
    .updateTable('spending')
    .set({
      posted_micros: sql`posted_micros + ${to.posted}`,
      pending_micros: sql`pending_micros + ${to.pending}`,
      overrun_micros: sql`overrun_micros + ${to.overrun}`,
    })
    .where('guild_id', '=', to.guildId)
    .where('slot_ms', '=', to.slotMs)
    .where('user_id', '=', to.userId)
    .where('capability', '=', to.capability),
);

/** Changes the totals in the row of a hold. Throws if the row does not exist or a total would fall below zero. */
export async function changeSpending(trx: Trx, key: SpendingKey, by: TotalsChange): Promise<void> {
  const changed = await change(trx, { ...key, ...by });
  if (changed === 0)
    throw new TypeError('Cannot book: the row of spending for the quarter of an hour is missing');
}

interface SpendingRange {
  readonly guildId: string;
  /** Empty for all members. */
  readonly userId: string;
  /** Empty for all capabilities. */
  readonly capability: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/**
 * Sums the spending from `startsAtMs` (included) to `endsAtMs` (excluded). Both must be at the start of a quarter of an
 * hour.
 */
export async function sumSpending(db: Queryable, range: SpendingRange): Promise<SpendingTotals> {
  const { guildId, userId, capability, startsAtMs, endsAtMs } = range;
  return db
    .selectFrom('spending')
    .select([
      sql<MicroUsd>`cast(coalesce(sum(posted_micros), 0) as bigint)`.as('posted'),
      sql<MicroUsd>`cast(coalesce(sum(pending_micros), 0) as bigint)`.as('pending'),
      sql<MicroUsd>`cast(coalesce(sum(overrun_micros), 0) as bigint)`.as('overrun'),
    ])
    .where('guild_id', '=', guildId)
    .where('slot_ms', '>=', startsAtMs)
    .where('slot_ms', '<', endsAtMs)
    .$if(userId !== '', (query) => query.where('user_id', '=', userId))
    .$if(capability !== '', (query) => query.where('capability', '=', capability))
    .executeTakeFirstOrThrow();
}

/** Computes a member's rows of `spending` from their holds. */
export async function sumUpSpending(
  trx: Trx,
  { guildId, userId }: { readonly guildId: string; readonly userId: string },
): Promise<void> {
  await trx.deleteFrom('spending').where('guild_id', '=', guildId).where('user_id', '=', userId).execute();
  await sql`
    insert into spending (guild_id, slot_ms, user_id, capability, posted_micros, pending_micros, overrun_micros)
    select guild_id, slot_ms, user_id, capability, sum(charged_micros),
      sum(case when state in ('pending', 'review') then amount_micros else 0 end), sum(overrun_micros)
    from holds where guild_id = ${guildId} and user_id = ${userId}
    group by guild_id, slot_ms, user_id, capability`.execute(trx);
}
