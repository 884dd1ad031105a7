import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { isPostgres } from '../../../db/dialect.ts';

/** Columns that only record when a row was written; they change even if a row is written again unchanged. */
const STAMP = 'updated_at_ms';

/** Returns every row of every table, each table sorted by its values, so that equal databases have equal dumps. */
export async function dump({ kysely }: Database): Promise<Record<string, readonly string[]>> {
  const names = isPostgres(kysely)
    ? sql<{ name: string }>`select table_name as name from information_schema.tables
        where table_schema = 'public' order by table_name`
    : sql<{ name: string }>`select name from sqlite_schema
        where type = 'table' and name not like 'sqlite_%' order by name`;
  const tables: Record<string, readonly string[]> = {};
  for (const { name } of (await names.execute(kysely)).rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(kysely);
    tables[name] = rows.map((row) => JSON.stringify({ ...row, [STAMP]: null })).toSorted();
  }
  return tables;
}
