import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Queryable } from './schema.ts';

/** Whether the query runs on PostgreSQL rather than SQLite. */
export function isPostgres(db: Queryable): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Returns the last clause of a select that locks its rows for this transaction and skips rows that another transaction
 * has locked. It is empty for SQLite, where only one transaction runs at a time.
 */
export function skipLocked(db: Queryable): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update skip locked` : sql``;
}

/**
 * Returns the values as rows of the table `name` with the column `value`. They are passed as one parameter, so that the
 * statement is the same for any number of values.
 */
export function rowsOf(db: Queryable, values: readonly string[], name = 'listed'): RawBuilder<unknown> {
  const json = JSON.stringify(values);
  const table = sql.table(name);
  return isPostgres(db)
    ? sql`json_array_elements_text(${json}::json) as ${table} (value)`
    : sql`json_each(${json}) as ${table}`;
}
