import type { Database as Sqlite, Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { DeadlineError, systemClock } from '../../src/base/clock.ts';
import { retry } from '../../src/base/retry.ts';
import { Breather } from './breather.ts';
import { CommitGroup } from './commit-group.ts';
import { DatabaseError, isBusy, toDatabaseError } from '../database-error.ts';
import type { RunsAtOnce } from '../prepared.ts';
import { Turnstile } from '../turnstile.ts';

const RETRY_DELAY_MS_FIRST = 1;
const RETRY_DELAY_MS_MAX = 20;
const STATEMENTS_MAX = 500;

/**
 * The Kysely dialect for one better-sqlite3 connection. Every transaction starts with `BEGIN IMMEDIATE`. Waiting for
 * another process's lock does not block the event loop, and takes at most `lockWaitMs`. Disposes `sqlite`.
 */
export class SqliteDialect implements Dialect {
  readonly #sqlite: Sqlite;
  readonly #lockWaitMs: number;
  readonly #connection: SqliteConnection;

  constructor(sqlite: Sqlite, lockWaitMs: number) {
    this.#sqlite = sqlite;
    this.#lockWaitMs = lockWaitMs;
    this.#connection = new SqliteConnection(sqlite, lockWaitMs);
  }

  createDriver(): Driver {
    return new SqliteDriver(this.#sqlite, this.#lockWaitMs, this.#connection);
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new SoleAdapter(this.#connection);
  }

  createIntrospector(db: Kysely<never>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

/** Repeats `work` until no other connection blocks it. After about `lockWaitMs`, throws `DatabaseError` (`locked`). */
export async function whenUnlocked<T>(sqlite: Sqlite, lockWaitMs: number, work: () => T): Promise<T> {
  try {
    // The database is almost never locked, and setting up a retry costs more than most statements.
    return work();
  } catch (error) {
    if (sqlite.inTransaction || !isBusy(error)) throw error;
  }
  try {
    // Other processes hold locks in real time, so this wait does not use a clock that tests control.
    return await retry(
      {
        clock: systemClock,
        delayMsFirst: RETRY_DELAY_MS_FIRST,
        delayMsMax: RETRY_DELAY_MS_MAX,
        attemptsMax: Math.ceil(lockWaitMs / (RETRY_DELAY_MS_MAX * 0.75)) + 1,
        retryable: (error) => !sqlite.inTransaction && isBusy(error),
      },
      // oxlint-disable-next-line typescript/require-await
      async () => work(),
    );
  } catch (error) {
    throw isBusy(error) ? toDatabaseError(sqlite.name, error) : error;
  }
}

/**
 * The adapter for the single connection. A transaction has the connection to itself, so its queries need not wait for
 * it.
 */
class SoleAdapter extends SqliteAdapter implements RunsAtOnce {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super();
    this.#connection = connection;
  }

  runAtOnce<R>(text: string, parameters: readonly unknown[]): QueryResult<R> {
    return this.#connection.run<R>(text, parameters);
  }

  /**
   * Prevents Kysely from adding its own queue for a single connection. That queue has no deadline, but the driver's
   * turnstile has one.
   */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #sqlite: Sqlite;
  readonly #lockWaitMs: number;
  readonly #connection: SqliteConnection;
  readonly #turnstile = new Turnstile();
  readonly #breather = new Breather();
  readonly #group: CommitGroup;

  constructor(sqlite: Sqlite, lockWaitMs: number, connection: SqliteConnection) {
    this.#sqlite = sqlite;
    this.#lockWaitMs = lockWaitMs;
    this.#connection = connection;
    this.#group = new CommitGroup(sqlite);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Turn> {
    await this.#enter();
    if (this.#breather.isDue()) {
      this.#group.commit();
      await this.#breather.breathe();
    }
    return new Turn(this.#connection, this.#group);
  }

  async releaseConnection(turn: Turn): Promise<void> {
    if (!turn.isOver) this.#end(turn);
  }

  async beginTransaction(turn: Turn): Promise<void> {
    await whenUnlocked(this.#sqlite, this.#lockWaitMs, () => this.#group.begin());
    turn.isTransaction = true;
  }

  async commitTransaction(turn: Turn): Promise<void> {
    const committed = this.#group.add();
    this.#end(turn);
    await committed;
  }

  async rollbackTransaction(turn: Turn): Promise<void> {
    if (!turn.isOver) this.#group.undo();
  }

  async destroy(): Promise<void> {
    try {
      await this.#enter();
      this.#group.commit();
    } finally {
      // Closing rolls back a transaction that did not end in time, and also the finished transactions that are waiting
      // for the shared commit.
      this.#sqlite.close();
      this.#group.abandon();
      this.#turnstile.leave();
    }
  }

  /**
   * Starts the turn of the next caller, which may join the group. Commits the group if no caller is waiting or the
   * group is large enough.
   */
  #end(turn: Turn): void {
    turn.isOver = true;
    if (!this.#turnstile.isAwaited || this.#group.isFull) this.#group.commit();
    this.#turnstile.leave();
  }

  async #enter(): Promise<void> {
    try {
      await this.#turnstile.enter(this.#lockWaitMs);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw new DatabaseError(
        'locked',
        `Cannot use database "${this.#sqlite.name}": a transaction of this process ran for over ${error.limitMs} ms`,
        { cause: error },
      );
    }
  }
}

/** One caller's exclusive use of the connection, for a query or a transaction. */
class Turn implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  readonly #group: CommitGroup;
  isTransaction = false;
  isOver = false;

  constructor(connection: SqliteConnection, group: CommitGroup) {
    this.#connection = connection;
    this.#group = group;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // A single query must not become part of the uncommitted group.
    if (!this.isTransaction) this.#group.commit();
    return this.#connection.executeQuery<R>(query);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #sqlite: Sqlite;
  readonly #lockWaitMs: number;
  readonly #statements = new Map<string, Statement>();

  constructor(sqlite: Sqlite, lockWaitMs: number) {
    this.#sqlite = sqlite;
    this.#lockWaitMs = lockWaitMs;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return whenUnlocked(this.#sqlite, this.#lockWaitMs, () => this.run<R>(query.sql, query.parameters));
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError('Cannot stream from SQLite: read pages instead');
  }

  run<R>(text: string, parameters: readonly unknown[]): QueryResult<R> {
    const statement = this.#prepare(text) as Statement<unknown[], R>;
    if (statement.reader) return { rows: statement.all(...parameters) };
    const { changes } = statement.run(...parameters);
    return { numAffectedRows: BigInt(changes), rows: [] };
  }

  /** Caches compiled statements, because compiling one costs more than running most statements. */
  #prepare(text: string): Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.#sqlite.prepare(text);
    const [oldest] = this.#statements.size >= STATEMENTS_MAX ? this.#statements.keys() : [];
    if (oldest !== undefined) this.#statements.delete(oldest);
    this.#statements.set(text, statement);
    return statement;
  }
}
