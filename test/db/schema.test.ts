import { readFile, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../db/migrations.ts';
import type { Database } from '../../db/database.ts';
import { micros } from '../../src/base/money.ts';
import { Ledger } from '../../src/bot/money/ledger/ledger.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { DOLLAR_A_DAY, aHold } from '../bot/money/ledger/a-hold.ts';
import { useDatabase } from './use-database.ts';

const SCHEMA_FILE = new URL('schema.sql', import.meta.url);

/** Returns every statement that created the database, as SQLite stores it. */
async function dump({ kysely }: Database): Promise<string> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name`.execute(kysely);
  return `${rows.map((row) => `${row.sql};`).join('\n\n')}\n`;
}

test('the schema is the committed one (UPDATE_SCHEMA=1 writes it again)', async () => {
  const schema = await dump(await useDatabase());
  if (process.env['UPDATE_SCHEMA']) await writeFile(SCHEMA_FILE, schema);
  expect(schema).toBe(await readFile(SCHEMA_FILE, 'utf8'));
});

test('migrations are numbered without gaps', () => {
  expect(MIGRATIONS.map((migration) => migration.number)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test('every table has strict types', async () => {
  const { kysely } = await useDatabase();
  const { rows } = await sql<{ name: string; strict: number }>`
    select name, strict from pragma_table_list where schema = 'main' and name not like 'sqlite_%'`.execute(
    kysely,
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((table) => table.strict !== 1)).toEqual([]);
});

test('entries can only be added: the database rejects updates, deletions and replacements', async () => {
  const database = await useDatabase();
  const ledger = new Ledger({ clock: new FakeClock(), defaultBudget: DOLLAR_A_DAY });
  await database.transaction('guild:guild', (trx) => ledger.hold(trx, aHold('job', micros(1000))));
  const attempts = [
    sql`update ledger_entries set amount_micros = 1`,
    sql`delete from ledger_entries`,
    sql`insert or replace into ledger_entries select * from ledger_entries`,
  ];
  for (const attempt of attempts) {
    await expect(attempt.execute(database.kysely)).rejects.toThrow('ledger_entries is append-only');
  }
  const again = sql`insert into ledger_entries select id + 1, subject, kind, guild_id, slot_ms,
    debit_account, credit_account, amount_micros, corrects, created_at_ms from ledger_entries`;
  await expect(again.execute(database.kysely)).rejects.toThrow('UNIQUE constraint failed');
  await expect(sql`delete from holds`.execute(database.kysely)).rejects.toThrow('a hold is never deleted');
});

test('a hold is resolved once, whichever statement the database receives', async () => {
  const database = await useDatabase();
  const ledger = new Ledger({ clock: new FakeClock(), defaultBudget: DOLLAR_A_DAY });
  await database.transaction('guild:guild', (trx) => ledger.hold(trx, aHold('job', micros(1000))));
  await database.transaction('guild:guild', (trx) => ledger.void(trx, { subject: 'job' }));
  for (const state of ['pending', 'posted', 'review'] as const) {
    const change = database.kysely.updateTable('holds').set({ state }).execute();
    await expect(change).rejects.toThrow('a hold is resolved once');
  }
});
