import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Queryable } from './schema.ts';

/** Whether the query will run on PostgreSQL rather than SQLite, where they differ. */
export function isPostgres(db: Queryable): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Ends a select: takes its rows for this transaction and passes over those that another one has. In SQLite a transaction
 * is alone and has everything.
 */
export function skipLocked(db: Queryable): RawBuilder<unknown> {
  return isPostgres(db) ? sql`for update skip locked` : sql``;
}

/** The values as rows with the column `value`, of one parameter, so that every number of values is the same statement. */
export function rowsOf(db: Queryable, values: readonly string[]): RawBuilder<unknown> {
  const json = JSON.stringify(values);
  return isPostgres(db)
    ? sql`json_array_elements_text(${json}::json) as listed (value)`
    : sql`json_each(${json}) as listed`;
}
