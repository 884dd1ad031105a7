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
   * `sqlite:<path>` (relative to the working directory; missing directories are made), `sqlite::memory:`, or
   * `postgres://user:password@host/database`.
   */
  readonly url: string;
  /** Stamps applied migrations. Waits for locks go by real time. Default: the system's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Milliseconds to wait for a lock, a connection, or this process's running transaction. Default 10,000. */
  readonly lockWaitMs?: number;
}

/**
 * One open database. Inside `transaction` query only through its `trx`: in SQLite all queries of the process share one
 * connection, so asking `kysely` there waits for itself and ends as `locked`; in PostgreSQL it is no part of the
 * transaction.
 */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<Schema>;
  readonly changes: Changes;
  /**
   * Runs `work` in one transaction, after those of its scope (or of any of its scopes): commits what it did, or nothing
   * if it throws. In SQLite every transaction (`BEGIN IMMEDIATE`) is alone, whatever its scope. In PostgreSQL each
   * statement sees what was committed before it, and `work` runs again after a conflict: only what it does in the
   * database is undone then.
   */
  transaction<T>(scope: Scope | readonly Scope[], work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>;
}

/**
 * Opens the database, creating and migrating it as needed, also when several processes do so at once.
 * Throws `DatabaseError`. The caller disposes.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, clock = systemClock, logger = silentLogger, lockWaitMs = LOCK_WAIT_MS_DEFAULT } = options;
  if (/^sqlite:(?!\/\/)./i.test(url)) {
    return openSqlite(url.slice('sqlite:'.length), { clock, logger, lockWaitMs });
  }
  if (/^postgres(ql)?:\/\/./i.test(url)) {
    // Who uses SQLite need not load the driver.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(url, { clock, logger, lockWaitMs });
  }
  throw new DatabaseError(
    'unsupported',
    'Cannot read the database URL: it must be "sqlite:<path>" or "postgres://user:password@host/database"',
  );
}
