import { sql } from 'kysely';
import { formatUsd } from '../../src/base/money.ts';
import { type WireNote, noteWire } from '../../src/base/wire-note.ts';
import { afterCommit } from '../after-commit.ts';
import { prepared } from '../prepared.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { Account, EntryRow } from '../schema/ledger.ts';

/** A transfer that is not stored yet. */
type NewEntry = Omit<EntryRow, 'id'>;

const insert = prepared((db, entry: NewEntry) =>
  db.insertInto('ledger_entries').values({
    subject: entry.subject,
    kind: entry.kind,
    guild_id: entry.guild_id,
    slot_ms: entry.slot_ms,
    debit_account: entry.debit_account,
    credit_account: entry.credit_account,
    amount_micros: entry.amount_micros,
    corrects: entry.corrects,
    created_at_ms: entry.created_at_ms,
  }),
);

/** Appends transfers. Throws for a second transfer of a kind that a subject may have only once. */
export async function appendEntries(trx: Trx, entries: readonly NewEntry[]): Promise<void> {
  for (const entry of entries) await insert(trx, entry);
  afterCommit(trx, () => {
    for (const entry of entries) noteWire(() => noteOf(entry));
  });
}

function noteOf(entry: NewEntry): WireNote {
  return {
    source: 'ledger',
    what: `${entry.kind}: ${entry.credit_account} to ${entry.debit_account}`,
    detail: { amount_usd: formatUsd(entry.amount_micros), guild: entry.guild_id },
  };
}

/** Returns the id of the last transfer of a subject. */
export async function findLastEntryId(db: Queryable, subject: string): Promise<number | null> {
  const last = await db
    .selectFrom('ledger_entries')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  return last.id;
}

type Balances = Readonly<Record<Account, number>>;

/**
 * Computes the balances of a guild's accounts from all its entries. An amount that left an account counts as negative.
 * The guild '' stands for foreign use. The function is meant for checks; it is too slow to run for every job.
 */
export async function sumAccounts(db: Queryable, guildId: string): Promise<Balances> {
  const { rows } = await sql<{ account: Account; micros: number }>`
    select account, cast(sum(amount) as bigint) as micros from (
      select debit_account as account, amount_micros as amount from ledger_entries where guild_id = ${guildId}
      union all
      select credit_account as account, -amount_micros as amount from ledger_entries where guild_id = ${guildId}
    ) as transfers group by account`.execute(db);
  const balances = { budget: 0, pending: 0, spent: 0, overrun: 0, service: 0, unattributed: 0 };
  for (const { account, micros } of rows) balances[account] = micros;
  return balances;
}
