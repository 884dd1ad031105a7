import { closeSync, openSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { MIGRATIONS } from './migrations.ts';

/** The types of SQL parameters. */
type SqlValue = string | number | null | Uint8Array;

const BUSY_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 200;

/**
 * The server's SQLite file: in WAL mode, with foreign keys, and migrated when it is opened. Every call is synchronous,
 * so no other code of this process runs between the statements of a transaction. Other processes wait until the
 * transaction ends.
 */
export class Database implements Disposable {
  readonly #sqlite: Sqlite.Database;
  readonly #statements = new Map<string, Sqlite.Statement<SqlValue[]>>();

  constructor(path: string) {
    closeSync(openSync(path, 'a', 0o600));
    this.#sqlite = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
    this.#sqlite.pragma('journal_mode = WAL');
    this.#sqlite.pragma('synchronous = NORMAL');
    this.#sqlite.pragma('foreign_keys = ON');
    this.#sqlite.pragma('trusted_schema = OFF');
    this.#migrate();
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Runs a writing statement and returns the number of rows that it changed. */
  run(sql: string, ...values: SqlValue[]): number {
    return this.#statement(sql).run(...values).changes;
  }

  /**
   * Runs `work` in a BEGIN IMMEDIATE transaction, or inside the transaction that is already open. An exception rolls
   * the whole transaction back.
   */
  transact<T>(work: () => T): T {
    if (this.#sqlite.inTransaction) return work();
    return this.#sqlite.transaction(work).immediate();
  }

  /**
   * Returns whether a write transaction is available within a short time, so that a health check does not
   * block other callers for long.
   */
  isWritable(): boolean {
    try {
      this.#sqlite.pragma(`busy_timeout = ${PROBE_TIMEOUT_MS}`);
      this.transact(() => undefined);
      return true;
    } catch {
      return false;
    } finally {
      this.#sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Returns a string that differs after every change by this or another process. It is cheap to compute. */
  changeMark(): string {
    const others = String(this.#sqlite.pragma('data_version', { simple: true }));
    const own = this.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
    return `${others}:${own}`;
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#sqlite.close();
  }

  #statement(sql: string): Sqlite.Statement<SqlValue[]> {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#sqlite.prepare<SqlValue[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #migrate(): void {
    this.transact(() => {
      const done = Number(this.#sqlite.pragma('user_version', { simple: true }));
      if (done > MIGRATIONS.length) {
        throw new TypeError(`Cannot open the media server's database: it is of a newer version (${done})`);
      }
      for (const sql of MIGRATIONS.slice(done)) this.#sqlite.exec(sql);
      this.#sqlite.pragma(`user_version = ${MIGRATIONS.length}`);
    });
  }
}
