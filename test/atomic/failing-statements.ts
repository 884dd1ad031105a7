import BetterSqlite, { SqliteError, type Statement } from 'better-sqlite3';
import { Client, DatabaseError } from 'pg';
import { onTestFinished } from 'vitest';

/** Statements that undo a transaction never fail here: a database that is asked to forget can always do so. */
const UNDOES = /^\s*rollback/i;

/** Makes one statement of the databases that this process opens from now on fail, as a full disk would. */
export class FailingStatements {
  /** Statements that go through before one fails; undefined when none shall. */
  #left: number | undefined;
  #failed: string | undefined;
  /** What the database itself refused because of a constraint: nothing should lean on that. */
  readonly refusals: string[] = [];

  /** The `n`-th statement from now on fails, counted from 1. */
  fail(n: number): void {
    this.#left = n - 1;
    this.#failed = undefined;
  }

  /** No statement fails any more. Returns the one that did. */
  stop(): string | undefined {
    this.#left = undefined;
    return this.#failed;
  }

  /** Runs a statement, or says that it failed. */
  pass(text: string): boolean {
    if (this.#left === undefined || UNDOES.test(text)) return true;
    if (this.#left-- > 0) return true;
    this.#left = undefined;
    this.#failed = text;
    return false;
  }
}

/** Both drivers are watched where they meet their database, below everything of this project. */
export function useFailingStatements(): FailingStatements {
  const failing = new FailingStatements();
  watchSqlite(failing);
  watchPostgres(failing);
  return failing;
}

function watchSqlite(failing: FailingStatements): void {
  const { prototype } = BetterSqlite;
  const { prepare } = prototype;
  prototype.prepare = function (this: BetterSqlite.Database, text: string) {
    return watched(prepare.call(this, text) as Statement, text, failing);
  } as typeof prepare;
  onTestFinished(() => {
    prototype.prepare = prepare;
  });
}

function watched(statement: Statement, text: string, failing: FailingStatements): Statement {
  return new Proxy(statement, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'run' && name !== 'all') return value.bind(target);
      return (...values: unknown[]): unknown => {
        if (!failing.pass(text)) throw new SqliteError('database or disk is full', 'SQLITE_FULL');
        try {
          return Reflect.apply(value, target, values);
        } catch (error) {
          if (error instanceof SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
            failing.refusals.push(`${error.message}: ${text}`);
          }
          throw error;
        }
      };
    },
  });
}

type Query = (this: Client, ...parts: unknown[]) => unknown;

function watchPostgres(failing: FailingStatements): void {
  const prototype = Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function (...parts) {
    const text = textOf(parts[0]);
    // The pool itself asks with a callback; those are no statements of ours.
    if (typeof parts.at(-1) === 'function') return query.apply(this, parts);
    if (!failing.pass(text)) return Promise.reject(fullDisk());
    const answer = query.apply(this, parts);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (error instanceof DatabaseError && error.code?.startsWith('23') === true) {
        failing.refusals.push(`${error.message}: ${text}`);
      }
      throw error;
    });
  };
  onTestFinished(() => {
    prototype.query = query;
  });
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '';
}

function fullDisk(): DatabaseError {
  return Object.assign(new DatabaseError('No space left on device', 0, 'error'), { code: '53100' });
}
