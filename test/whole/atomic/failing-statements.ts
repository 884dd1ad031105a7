import BetterSqlite, { SqliteError, type Statement } from 'better-sqlite3';
import { Client, DatabaseError } from 'pg';
import { onTestFinished } from 'vitest';

/** Statements that roll back a transaction never fail here, because a real database can always roll back. */
const UNDOES = /^\s*rollback/i;

/** Makes one statement fail as a full disk would, in databases that this process opens from now on. */
export class FailingStatements {
  /** Number of statements that succeed before one fails; `undefined` if none fails. */
  #left: number | undefined;
  #failed: string | undefined;
  /** Statements that the database refused because of a constraint. A use case must not rely on these refusals. */
  readonly refusals: string[] = [];

  /** Makes the `n`-th statement from now on fail, counted from 1. */
  fail(n: number): void {
    this.#left = n - 1;
    this.#failed = undefined;
  }

  /** Lets all statements succeed again. Returns the statement that failed, if any. */
  stop(): string | undefined {
    this.#left = undefined;
    return this.#failed;
  }

  /** Counts a statement, and returns whether it may run: false for the one statement that must fail. */
  pass(text: string): boolean {
    if (this.#left === undefined || UNDOES.test(text)) return true;
    if (this.#left-- > 0) return true;
    this.#left = undefined;
    this.#failed = text;
    return false;
  }
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Patches both database drivers where they call the database, beneath all of this project's code. */
export function useFailingStatements(): FailingStatements {
  const failing = new FailingStatements();
  replace(BetterSqlite.prototype, 'prepare', (prepare) => watchedPrepare(prepare, failing));
  replace(Client.prototype, 'query', (query) => watchedQuery(query, failing));
  return failing;
}

/** Replaces a method until the test ends. */
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
    // Only the connection pool itself passes a callback; its statements are not this project's.
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
