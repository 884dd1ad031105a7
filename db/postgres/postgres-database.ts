import { type Kysely, type Transaction, sql } from 'kysely';
import { DeadlineError, systemClock, withDeadline } from '../../src/base/clock.ts';
import { retry } from '../../src/base/retry.ts';
import { commitWork } from '../after-commit.ts';
import type { Changes } from '../changes.ts';
import { DatabaseError } from '../database-error.ts';
import type { Schema } from '../schema.ts';
import type { Scope } from '../scope.ts';
import type { Listener } from './listener.ts';
import { isConflict, isLost } from './to-postgres-error.ts';
import { ScopeLines } from './scope-lines.ts';

const ATTEMPTS_MAX = 6;
const REPEAT = { delayMsFirst: 10, delayMsMax: 500 };
/**
 * The longest wait in a scope's queue, as a multiple of the longest wait for one lock. The queue's wait is longer,
 * because all earlier callers go first.
 */
const LINE_WAITS_MAX = 3;

interface PostgresDatabaseOptions {
  readonly kysely: Kysely<Schema>;
  readonly listener: Listener;
  /** The server name for errors. */
  readonly server: string;
  readonly lockWaitMs: number;
}

/** One database that several processes share, each through its own connections. */
export class PostgresDatabase implements AsyncDisposable {
  readonly kysely: Kysely<Schema>;
  readonly changes: Changes;
  readonly #options: PostgresDatabaseOptions;
  readonly #lines = new ScopeLines();
  #disposed: Promise<void> | undefined;

  constructor(options: PostgresDatabaseOptions) {
    this.kysely = options.kysely;
    this.changes = options.listener;
    this.#options = options;
  }

  async transaction<T>(
    scope: Scope | readonly Scope[],
    work: (trx: Transaction<Schema>) => Promise<T>,
  ): Promise<T> {
    const scopes = scopesOf(scope);
    using _turn = await this.#turn(scopes);
    let isCommitting = false;
    // A commit that got no answer may have succeeded, so a transaction whose connection broke is repeated only if
    // the connection broke before the commit.
    const retryable = (error: unknown): boolean => isConflict(error) || (isLost(error) && !isCommitting);
    try {
      return await retry({ clock: systemClock, attemptsMax: ATTEMPTS_MAX, retryable, ...REPEAT }, () => {
        isCommitting = false;
        const builder = this.kysely.transaction().setIsolationLevel('read committed');
        return commitWork(builder, async (trx) => {
          await lockScopes(trx, scopes);
          const result = await work(trx);
          isCommitting = true;
          return result;
        });
      });
    } catch (error) {
      throw isConflict(error)
        ? this.#locked('other transactions are in the way again and again', error)
        : error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #dispose(): Promise<void> {
    const { listener, kysely, lockWaitMs } = this.#options;
    await listener[Symbol.asyncDispose]();
    try {
      await withDeadline(systemClock, lockWaitMs, () => kysely.destroy());
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw this.#locked(`a transaction of this process ran for over ${error.limitMs} ms`, error);
    }
  }

  async #turn(scopes: readonly string[]): Promise<Disposable> {
    const limitMs = this.#options.lockWaitMs * LINE_WAITS_MAX;
    try {
      return await this.#lines.enter(scopes, limitMs);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      throw this.#locked(`others of the same scope were in line for over ${limitMs} ms`, error);
    }
  }

  #locked(why: string, cause: unknown): DatabaseError {
    return new DatabaseError('locked', `Cannot use PostgreSQL at ${this.#options.server}: ${why}`, { cause });
  }
}

/**
 * Returns the names of the locks for the scopes. They are sorted, because taking locks in the same order everywhere
 * prevents deadlocks. The scope `rows` has no lock.
 */
function scopesOf(scope: Scope | readonly Scope[]): readonly string[] {
  const scopes = typeof scope === 'string' ? [scope] : [...new Set(scope)].toSorted();
  return scopes.filter((name) => name !== 'rows');
}

/** Takes the locks, which are released at the end of the transaction. */
async function lockScopes(trx: Transaction<Schema>, scopes: readonly string[]): Promise<void> {
  for (const name of scopes) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
  }
}
