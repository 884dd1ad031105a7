import { type RawBuilder, sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable } from '../schema.ts';

/** The changes that a range of entries makes to the accounts of all guilds. */
interface EntrySums {
  readonly entries: number;
  readonly lastEntryId: number | null;
  /** The time of the newest entry in the range. */
  readonly writtenToMs: number | null;
  readonly spent: MicroUsd;
  readonly pending: MicroUsd;
  readonly foreign: MicroUsd;
}

/** Sums the first entries after `afterId`, at most `limit`. */
export async function sumEntriesAfter(
  db: Queryable,
  options: { readonly afterId: number; readonly limit: number },
): Promise<EntrySums> {
  const { afterId, limit } = options;
  const part = db
    .selectFrom('ledger_entries')
    .select(['id', 'created_at_ms', 'debit_account', 'credit_account', 'amount_micros'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .as('part');
  return db
    .selectFrom(part)
    .select((eb) => [
      eb.fn.countAll<number>().as('entries'),
      sql<number | null>`max(id)`.as('lastEntryId'),
      sql<number | null>`max(created_at_ms)`.as('writtenToMs'),
      balanceOf('spent').as('spent'),
      balanceOf('pending').as('pending'),
      balanceOf('unattributed').as('foreign'),
    ])
    .executeTakeFirstOrThrow();
}

/** Returns the time of the first entry, or `undefined` if there is none. */
export async function firstEntryAtMs(db: Queryable): Promise<number | undefined> {
  const first = await db
    .selectFrom('ledger_entries')
    .select('created_at_ms')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.created_at_ms;
}

/** Returns the expression for the balance of an account over the selected entries. */
export function balanceOf(account: 'spent' | 'pending' | 'unattributed'): RawBuilder<MicroUsd> {
  return sql<MicroUsd>`cast(coalesce(sum(case when debit_account = ${account} then amount_micros
    when credit_account = ${account} then -amount_micros else 0 end), 0) as bigint)`;
}
