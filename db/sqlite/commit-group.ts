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
 * Transactions that stand in line for the one connection share a COMMIT: all but the first are savepoints, each undone
 * alone, and none has happened before the whole is on disk. The pages that all of them change are written once then,
 * with one fsync, and that is most of what a small transaction costs.
 */
export class CommitGroup {
  readonly #sqlite: Sqlite;
  readonly #statements = new Map<Step, Statement>();
  /** Those that are done and wait for the COMMIT. */
  #members: PromiseWithResolvers<void>[] = [];

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  get isFull(): boolean {
    return this.#members.length >= SIZE_MAX;
  }

  /** Begins a transaction, of the group or of a new one. */
  begin(): void {
    this.#run(this.#isOpen ? 'SAVEPOINT member' : 'BEGIN IMMEDIATE');
  }

  /** The running transaction is done. Resolves once it is committed with the others; rejects if they cannot be. */
  add(): Promise<void> {
    if (!this.#sqlite.inTransaction) throw this.#lost();
    if (this.#isOpen) this.#run('RELEASE member');
    const member = Promise.withResolvers<void>();
    this.#members.push(member);
    return member.promise;
  }

  /** Takes back what the running transaction did. A full disk or an I/O error has taken back the whole group. */
  undo(): void {
    if (!this.#sqlite.inTransaction) this.abandon();
    else if (this.#isOpen) {
      this.#run('ROLLBACK TO member');
      this.#run('RELEASE member');
    } else this.#run('ROLLBACK');
  }

  /** Commits those that are done, if there are any; only between transactions. */
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

  /** Nothing more can be committed. */
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
