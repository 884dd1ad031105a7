import BetterSqlite, { SqliteError, type Statement } from 'better-sqlite3';
import { Client, DatabaseError } from 'pg';
import { onTestFinished } from 'vitest';

/** Statements that undo a transaction never fail here: a database that is asked to forget can always do so. */
const UNDOES = /^\s*rollback/i;

/** Makes one statement of the databases that this process opens from now on fail, as a full disk would. */
export class FailingStatements {
  /** How many statements go through before one fails; undefined when none fails. */
  #left: number | undefined;
  #failed: string | undefined;
  /** Statements that the database refused because of a constraint. A use case must not rely on these refusals. */
  readonly refusals: string[] = [];

  /** From now on the `n`-th statement fails, counted from 1. */
  fail(n: number): void {
    this.#left = n - 1;
    this.#failed = undefined;
  }

  /** Lets all statements pass again. Returns the one that failed, if any did. */
  stop(): string | undefined {
    this.#left = undefined;
    return this.#failed;
  }

  /** Whether this statement passes; false makes it the one that fails. */
  pass(text: string): boolean {
    if (this.#left === undefined || UNDOES.test(text)) return true;
    if (this.#left-- > 0) return true;
    this.#left = undefined;
    this.#failed = text;
    return false;
  }
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Both drivers are watched where they meet their database, below everything of this project. */
export function useFailingStatements(): FailingStatements {
  const failing = new FailingStatements();
  replace(BetterSqlite.prototype, 'prepare', (prepare) => watchedPrepare(prepare, failing));
  replace(Client.prototype, 'query', (query) => watchedQuery(query, failing));
  return failing;
}

/** Puts a method in the place of another one until the test is over. */
function replace(owner: object, name: string, make: (original: Method) => Method): void {
  const original = Reflect.get(owner, name) as Method;
  Reflect.set(owner, name, make(original));
  onTestFinished(() => void Reflect.set(owner, name, original));
}

function watchedPrepare(prepare: Method, failing: FailingStatements): Method {
  return function (text) {
    return watched(prepare.call(this, text) as Statement, String(text), failing);
  };
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
          const isRefusal = error instanceof SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
          if (isRefusal) failing.refusals.push(`${error.message}: ${text}`);
          throw error;
        }
      };
    },
  });
}

function watchedQuery(query: Method, failing: FailingStatements): Method {
  return function (...values) {
    // The pool itself asks with a callback: those are no statements of this project.
    if (typeof values.at(-1) === 'function') return query.apply(this, values);
    const text = textOf(values[0]);
    if (!failing.pass(text)) return Promise.reject(fullDisk());
    const answer = query.apply(this, values);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      const isRefusal = error instanceof DatabaseError && error.code?.startsWith('23') === true;
      if (isRefusal) failing.refusals.push(`${error.message}: ${text}`);
      throw error;
    });
  };
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '';
}

function fullDisk(): DatabaseError {
  return Object.assign(new DatabaseError('No space left on device', 0, 'error'), { code: '53100' });
}
