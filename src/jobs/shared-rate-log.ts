import type { Database } from '../../db/database.ts';
import { freezeRate, reserveRate } from '../../db/queries/rate-log.ts';
import type { RateLog, Reservation } from '../media-api/rate-log.ts';

/**
 * The rate log of one key in the database, so that every process and every restart that uses the key keeps
 * its limit together. `keyId` must not be the key itself.
 */
export class SharedRateLog implements RateLog {
  readonly #db: Database;
  readonly #keyId: string;

  constructor(db: Database, keyId: string) {
    this.#db = db;
    this.#keyId = keyId;
  }

  reserve(nowMs: number, windowMs: number, limit: number): Promise<Reservation> {
    return this.#db.transaction((trx) => reserveRate(trx, { keyId: this.#keyId, nowMs, windowMs, limit }));
  }

  freeze(untilMs: number): Promise<void> {
    return freezeRate(this.#db.kysely, this.#keyId, untilMs);
  }
}
