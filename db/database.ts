import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import BetterSqlite, { type Database as Sqlite } from 'better-sqlite3';
import { Kysely, type Transaction } from 'kysely';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { type Logger, silentLogger } from '../src/base/log.ts';
import { makeFolder } from '../src/base/make-folder.ts';
import { DatabaseError, toDatabaseError } from './database-error.ts';
import { migrate } from './migrate.ts';
import type { Schema } from './schema.ts';
import type { Scope } from './scope.ts';
import { SqliteDialect, whenUnlocked } from './sqlite-dialect.ts';

const LOCK_WAIT_MS_DEFAULT = 10_000;

export interface DatabaseOptions {
  /** `sqlite:<path>` (relative to the working directory; missing directories are made) or `sqlite::memory:`. */
  readonly url: string;
  /** Stamps applied migrations. Waits for locks go by real time. Default: the system's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Milliseconds to wait for a lock or for this process's running transaction. Default 10,000. */
  readonly lockWaitMs?: number;
}

/**
 * One open database. All queries of the process share one connection, one after the other: inside
 * `transaction` query only through its `trx`; asking `kysely` there waits for itself and ends as `locked`.
 */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<Schema>;
  /**
   * Runs `work` in one transaction, after those of its scope: commits what it did, or nothing if it throws. In SQLite
   * every transaction (`BEGIN IMMEDIATE`) is alone, whatever its scope.
   */
  transaction<T>(scope: Scope, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>;
}

/**
 * Opens the database, creating and migrating it as needed, also when several processes do so at once.
 * Throws `DatabaseError`. The caller disposes.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { clock = systemClock, logger = silentLogger, lockWaitMs = LOCK_WAIT_MS_DEFAULT } = options;
  const path = sqlitePath(options.url);
  try {
    const file = path === ':memory:' ? path : await privateFile(resolve(path));
    // SQLite's own wait would block the event loop, and with it every voice channel's 20 ms tick.
    const sqlite = new BetterSqlite(file, { timeout: 0 });
    try {
      await configure(sqlite, lockWaitMs);
      const kysely = new Kysely<Schema>({ dialect: new SqliteDialect(sqlite, lockWaitMs) });
      const applied = await migrate(kysely, path, clock.now());
      if (applied.length > 0) logger.info({ applied }, 'Migrated the database');
      return new SqliteDatabase(kysely);
    } catch (error) {
      sqlite.close();
      throw error;
    }
  } catch (error) {
    throw toDatabaseError(path, error);
  }
}

class SqliteDatabase implements Database {
  readonly kysely: Kysely<Schema>;

  constructor(kysely: Kysely<Schema>) {
    this.kysely = kysely;
  }

  transaction<T>(_scope: Scope, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
    return this.kysely.transaction().execute(work);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kysely.destroy();
  }
}

function sqlitePath(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  const path = url.slice('sqlite:'.length);
  if (scheme === 'sqlite' && path !== '' && !path.startsWith('//')) return path;
  if (scheme === 'postgres' || scheme === 'postgresql') {
    throw new DatabaseError(
      'unsupported',
      'Cannot use PostgreSQL yet: give "sqlite:<path>" as the database URL',
    );
  }
  throw new DatabaseError('unsupported', 'Cannot read the database URL: it must be "sqlite:<path>"');
}

/** The file holds reply tokens and signed links, so only its owner may read it. SQLite copies the mode to its side files. */
async function privateFile(path: string): Promise<string> {
  await makeFolder(dirname(path));
  await (await open(path, 'a', 0o600)).close();
  return path;
}

async function configure(sqlite: Sqlite, lockWaitMs: number): Promise<void> {
  const pragma = (text: string): Promise<unknown> =>
    whenUnlocked(sqlite, lockWaitMs, () => sqlite.pragma(text));
  await pragma('journal_mode = WAL');
  // FULL: a hold or a frozen submit that a power cut takes back would let its charge arrive unknown. One fsync
  // per commit costs 0.1 ms at the median (NORMAL: 0.01 ms) on an SSD.
  await pragma('synchronous = FULL');
  await pragma('foreign_keys = ON');
  // Otherwise INSERT OR REPLACE would delete ledger entries past their trigger.
  await pragma('recursive_triggers = ON');
  await pragma('trusted_schema = OFF');
  // What members have deleted shall not stay readable in free parts of the file.
  await pragma('secure_delete = ON');
}
