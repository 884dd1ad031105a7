import type { Database as Sqlite, Statement } from 'better-sqlite3';
import { DatabaseError } from '../database-error.ts';

const SIZE_MAX = 100;

type Step =
  | 'BEGIN IMMEDIATE'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT member'
  | 'RELEASE member'
  | 'ROLLBACK TO member';

/**
 * A group of transactions that share one COMMIT. All but the first are savepoints, so each can be rolled back alone,
 * and none is durable before the whole group is on disk. The group needs one fsync, which is most of the cost of a
 * small transaction, and writes a page once even if several transactions change it.
 */
export class CommitGroup {
  readonly #sqlite: Sqlite;
  readonly #statements = new Map<Step, Statement>();
  /** The finished transactions that are waiting for the COMMIT. */
  #members: PromiseWithResolvers<void>[] = [];

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  get isFull(): boolean {
    return this.#members.length >= SIZE_MAX;
  }

  /** Starts a transaction in the open group, or opens a new group. */
  begin(): void {
    this.#run(this.#isOpen ? 'SAVEPOINT member' : 'BEGIN IMMEDIATE');
  }

  /**
   * Ends the running transaction. Resolves once the whole group is committed, and rejects if it cannot be committed.
   */
  add(): Promise<void> {
    if (!this.#sqlite.inTransaction) throw this.#lost();
    if (this.#isOpen) this.#run('RELEASE member');
    const member = Promise.withResolvers<void>();
    this.#members.push(member);
    return member.promise;
  }

  /** Undoes the running transaction. After a full disk or an I/O error, SQLite has already undone the whole group. */
  undo(): void {
    if (!this.#sqlite.inTransaction) this.abandon();
    else if (this.#isOpen) {
      this.#run('ROLLBACK TO member');
      this.#run('RELEASE member');
    } else this.#run('ROLLBACK');
  }

  /** Commits the finished transactions, if any. Must be called between transactions only. */
  commit(): void {
    if (!this.#isOpen) return;
    try {
      this.#run('COMMIT');
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#run('ROLLBACK');
      return this.#fail(error);
    }
    for (const { resolve } of this.#members) resolve();
    this.#members = [];
  }

  /** Rejects all waiting transactions, because nothing more can be committed. */
  abandon(): void {
    this.#fail(this.#lost());
  }

  get #isOpen(): boolean {
    return this.#members.length > 0;
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#members) reject(error);
    this.#members = [];
  }

  #lost(): DatabaseError {
    return new DatabaseError(
      'unwritable',
      `Cannot commit to database "${this.#sqlite.name}": SQLite gave up the transaction`,
    );
  }

  #run(step: Step): void {
    const statement = this.#statements.get(step) ?? this.#sqlite.prepare(step);
    this.#statements.set(step, statement);
    statement.run();
  }
}
