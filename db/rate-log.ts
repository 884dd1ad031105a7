import type { Database } from './database.ts';
import { type Reservation, freezeRate, reserveRate } from './queries/rate-log.ts';

/** The requests that one API key was granted, shared by all processes that open the same database. */
export class RateLog {
  readonly #database: Database;
  readonly #keyId: () => string;

  /** `keyId` names the key that is in use now; never the key itself. */
  constructor(database: Database, keyId: () => string) {
    this.#database = database;
    this.#keyId = keyId;
  }

  /** Grants one request if fewer than `limit` were granted within the last `windowMs` and no freeze lasts. */
  reserve(now: () => number, windowMs: number, limit: number): Promise<Reservation> {
    return this.#database.transaction(`key:${this.#keyId()}`, (trx) =>
      // Asked in the transaction: the wait for it may be long, and the request leaves after it.
      reserveRate(trx, { keyId: this.#keyId(), nowMs: now(), windowMs, limit }),
    );
  }

  /** Grants nothing until `untilMs`, in no process. */
  freeze(untilMs: number): Promise<void> {
    return freezeRate(this.#database.kysely, this.#keyId(), untilMs);
  }
}
