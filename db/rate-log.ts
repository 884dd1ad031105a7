import type { Database } from './database.ts';
import { type Reservation, freezeRate, reserveRate } from './queries/rate-log.ts';

/** The log of the requests that were granted for an API key. All processes that open the same database share it. */
export class RateLog {
  readonly #database: Database;
  readonly #keyId: () => string;

  /** `keyId` returns an id of the current key, never the key itself. */
  constructor(database: Database, keyId: () => string) {
    this.#database = database;
    this.#keyId = keyId;
  }

  /** Grants one request if fewer than `limit` were granted within the last `windowMs` and there is no freeze. */
  reserve(now: () => number, windowMs: number, limit: number): Promise<Reservation> {
    return this.#database.transaction(`key:${this.#keyId()}`, (trx) =>
      // The time is read in the transaction, because the wait for the transaction may be long.
      reserveRate(trx, { keyId: this.#keyId(), nowMs: now(), windowMs, limit }),
    );
  }

  /** Grants nothing until `untilMs`, in any process that shares the database. */
  freeze(untilMs: number): Promise<void> {
    return freezeRate(this.#database.kysely, this.#keyId(), untilMs);
  }
}
