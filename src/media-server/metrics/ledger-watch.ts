import type { Database } from '../store/database.ts';
import { accountTotals, entrySumsSince } from '../store/statistics.ts';

/**
 * The running totals of all accounts minus the sums of their entries, in micro-dollars. Each difference must
 * be 0.
 */
interface LedgerDifference {
  readonly toppedUp: number;
  readonly spent: number;
  readonly held: number;
}

/**
 * Compares the accounts' running totals with the sums of their entries. Entries are append-only, so each is summed
 * once, no matter how many times the difference is read.
 */
export class LedgerWatch {
  readonly #db: Database;
  readonly #sums = { top_up: 0, hold: 0, release: 0, charge: 0 };
  #summedUpTo = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  difference(): LedgerDifference {
    const { totals, sums } = this.#db.transact(() => ({
      totals: accountTotals(this.#db),
      sums: entrySumsSince(this.#db, this.#summedUpTo),
    }));
    for (const { kind, amount, lastId } of sums) {
      this.#sums[kind] += amount;
      this.#summedUpTo = Math.max(this.#summedUpTo, lastId);
    }
    return {
      toppedUp: totals.toppedUp - this.#sums.top_up,
      spent: totals.spent - this.#sums.charge,
      held: totals.held - (this.#sums.hold - this.#sums.release),
    };
  }
}
