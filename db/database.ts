import type { Kysely, Transaction } from 'kysely';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { type Logger, silentLogger } from '../src/base/log.ts';
import type { Changes } from './changes.ts';
import { DatabaseError } from './database-error.ts';
import type { Schema } from './schema.ts';
import type { Scope } from './scope.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

const LOCK_WAIT_MS_DEFAULT = 10_000;

interface DatabaseOptions {
  /**
   * `sqlite:<path>` (relative to the working directory; missing folders are created), `sqlite::memory:`, or
   * `postgres://user:password@host/database`.
   */
  readonly url: string;
  /** Provides the times recorded for migrations. Waits for locks use real time. Default: the system clock. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Milliseconds to wait for a lock, a connection, or this process's running transaction. Default 10,000. */
  readonly lockWaitMs?: number;
}

/**
 * One open database. Inside `transaction`, query only through its `trx`: in SQLite all queries of the process share one
 * connection, so a query through `kysely` would wait for the very transaction that makes it, and fail as `locked`; in
 * PostgreSQL, such a query would run outside the transaction.
 */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<Schema>;
  readonly changes: Changes;
  /**
   * Runs `work` in one transaction, after all earlier transactions that share a scope with it. Commits everything, or
   * nothing if `work` throws. In SQLite no two transactions (`BEGIN IMMEDIATE`) run at the same time, whatever their
   * scopes. In PostgreSQL each statement sees what was committed before the statement. After a conflict, PostgreSQL
   * undoes the changes in the database, but no other effects of `work`, and `work` runs again.
   */
  transaction<T>(scope: Scope | readonly Scope[], work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>;
}

/**
 * Opens the database, and creates and migrates it if needed. Several processes may do so at the same time. Throws
 * `DatabaseError`. The caller disposes it.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, clock = systemClock, logger = silentLogger, lockWaitMs = LOCK_WAIT_MS_DEFAULT } = options;
  if (/^sqlite:(?!\/\/)./i.test(url)) {
    return openSqlite(url.slice('sqlite:'.length), { clock, logger, lockWaitMs });
  }
  if (/^postgres(ql)?:\/\/./i.test(url)) {
    // Installations with SQLite do not need the driver of PostgreSQL, so it is loaded only here.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(url, { clock, logger, lockWaitMs });
  }
  throw new DatabaseError(
    'unsupported',
    'Cannot read the database URL: it must be "sqlite:<path>" or "postgres://user:password@host/database"',
  );
}
