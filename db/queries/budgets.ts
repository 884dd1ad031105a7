import { sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { BudgetPeriodRow, BudgetRow, Queryable, Trx } from '../schema.ts';

/** The guild's own budget, if its admins set one. */
export async function findBudget(db: Queryable, guildId: string): Promise<BudgetRow | undefined> {
  return db.selectFrom('budgets').selectAll().where('guild_id', '=', guildId).executeTakeFirst();
}

/** Sets the guild's own budget in place of the earlier one. */
export async function putBudget(db: Queryable, budget: BudgetRow): Promise<void> {
  const { guild_id: _, ...values } = budget;
  await db
    .insertInto('budgets')
    .values(budget)
    .onConflict((conflict) => conflict.column('guild_id').doUpdateSet(values))
    .execute();
}

/** Which running totals: one guild and one budget window. */
export interface PeriodKey {
  readonly guildId: string;
  readonly startsAtMs: number;
}

/** The running totals of a window; undefined while nothing was held in it. */
export async function findBudgetPeriod(db: Queryable, key: PeriodKey): Promise<BudgetPeriodRow | undefined> {
  return db
    .selectFrom('budget_periods')
    .selectAll()
    .where('guild_id', '=', key.guildId)
    .where('starts_at_ms', '=', key.startsAtMs)
    .executeTakeFirst();
}

/** Makes the window's totals (all zero) unless they exist; a changed end is taken over. */
export async function ensureBudgetPeriod(trx: Trx, key: PeriodKey, endsAtMs: number): Promise<void> {
  await trx
    .insertInto('budget_periods')
    .values({ guild_id: key.guildId, starts_at_ms: key.startsAtMs, ends_at_ms: endsAtMs })
    .onConflict((conflict) =>
      conflict.columns(['guild_id', 'starts_at_ms']).doUpdateSet({ ends_at_ms: endsAtMs }),
    )
    .execute();
}

/**
 * Adds `amount` to the window's pending total if posted and pending stay within `limit` with it.
 * Returns the new totals, or undefined when it does not fit and nothing was changed.
 */
export async function addPendingWithin(
  trx: Trx,
  key: PeriodKey,
  amounts: { readonly amount: MicroUsd; readonly limit: MicroUsd },
): Promise<BudgetPeriodRow | undefined> {
  const { amount, limit } = amounts;
  return trx
    .updateTable('budget_periods')
    .set({ pending_micros: sql`pending_micros + ${amount}` })
    .where('guild_id', '=', key.guildId)
    .where('starts_at_ms', '=', key.startsAtMs)
    .where(sql<boolean>`posted_micros + pending_micros + ${amount} <= ${limit}`)
    .returningAll()
    .executeTakeFirst();
}

/** Changes of a window's totals; each may be negative. */
export interface TotalsChange {
  readonly posted: number;
  readonly pending: number;
  readonly overrun: number;
}

/** Adds the changes to the window's totals. Throws when a total would fall below zero. */
export async function changeTotals(trx: Trx, key: PeriodKey, change: TotalsChange): Promise<void> {
  await trx
    .updateTable('budget_periods')
    .set({
      posted_micros: sql`posted_micros + ${change.posted}`,
      pending_micros: sql`pending_micros + ${change.pending}`,
      overrun_micros: sql`overrun_micros + ${change.overrun}`,
    })
    .where('guild_id', '=', key.guildId)
    .where('starts_at_ms', '=', key.startsAtMs)
    .returning('guild_id')
    .executeTakeFirstOrThrow();
}
