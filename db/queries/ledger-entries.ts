import { type Kysely, sql } from 'kysely';
import type { Account, EntryRow, NewEntry, Queryable, Schema, Trx } from '../schema.ts';
import type { PeriodKey } from './budgets.ts';

/** Appends transfers. A second one of a once-only kind for the same subject throws. */
export async function appendEntries(trx: Trx, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length > 0) await trx.insertInto('ledger_entries').values(entries).execute();
}

/** A subject's transfers, oldest first, at most `limit`. */
export async function listEntries(db: Queryable, subject: string, limit: number): Promise<EntryRow[]> {
  return db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('subject', '=', subject)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export type Balances = Readonly<Record<Account, number>>;

/**
 * The accounts of one window, summed up from its entries: what left an account counts negative. Reads the
 * whole window: for checks, not for the way of a job.
 */
export async function sumAccounts(db: Queryable, key: PeriodKey): Promise<Balances> {
  const rows = await sumOf(db, key);
  const balances = { budget: 0, pending: 0, spent: 0, overrun: 0 };
  for (const { account, micros } of rows) balances[account] = micros;
  return balances;
}

async function sumOf(db: Kysely<Schema>, key: PeriodKey): Promise<{ account: Account; micros: number }[]> {
  const { rows } = await sql<{ account: Account; micros: number }>`
    select account, sum(amount) as micros from (
      select debit_account as account, amount_micros as amount from ledger_entries
        where guild_id = ${key.guildId} and period_starts_at_ms = ${key.startsAtMs}
      union all
      select credit_account as account, -amount_micros as amount from ledger_entries
        where guild_id = ${key.guildId} and period_starts_at_ms = ${key.startsAtMs}
    ) as transfers group by account`.execute(db);
  return rows;
}
