import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import {
  type MicroUsd,
  ZERO,
  formatUsd,
  maxMicros,
  micros,
  scaleMicros,
  toUsdNumber,
} from '../../base/money.ts';
import type { WireBalance } from '../../media-api/wire.ts';
import { ApiError } from '../wire/api-error.ts';
import { startOfMonth, startOfWeek, startOfYear } from './periods.ts';
import { type AccountRow, findAccount } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { chargedSince, findEntry, postEntry } from '../store/entries.ts';
import { type JobRow, findJob, markReconciled } from '../store/jobs.ts';

/**
 * The accounts' money. At every moment: balance = topped up - spent - open holds. Every operation is one
 * transaction, or part of the caller's.
 */
export class Billing {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  topUp(accountId: string, amount: MicroUsd): void {
    this.#post(accountId, 'top_up', randomId('top'), amount);
  }

  /** Reserves `amount` for a job, or throws `insufficient_balance`. */
  hold(accountId: string, jobId: string, amount: MicroUsd): void {
    this.#db.transact(() => {
      const available = availableTo(this.#account(accountId));
      if (available < amount) {
        throw new ApiError(
          'insufficient_balance',
          `The balance of ${formatUsd(available)} does not cover the estimated hold of ${formatUsd(amount)}`,
        );
      }
      this.#post(accountId, 'hold', jobId, amount);
    });
  }

  /** Returns what the job still holds; does nothing when it was returned already. */
  release(jobId: string): void {
    this.#db.transact(() => {
      const hold = findEntry(this.#db, jobId, 'hold');
      if (!hold || findEntry(this.#db, jobId, 'release')) return;
      this.#post(hold.accountId, 'release', jobId, hold.amount);
    });
  }

  /**
   * Settles a finished job exactly once, however many ask at the same time: a success returns its hold and
   * pays the charge, also above the hold; a failure costs 0. Says whether this call did it.
   */
  reconcile(jobId: string): boolean {
    return this.#db.transact(() => {
      const job = findJob(this.#db, jobId);
      if (!job) return false;
      const charge = chargeOf(job);
      if (!markReconciled(this.#db, jobId, charge, this.#clock.now())) return false;
      this.release(jobId);
      if (job.status === 'succeeded') this.#post(job.accountId, 'charge', jobId, charge);
      return true;
    });
  }

  /** The six numbers of `GET /v1/balance`; periods are those of UTC, weeks begin on Monday. */
  balance(accountId: string): WireBalance {
    return this.#db.transact(() => {
      const account = this.#account(accountId);
      const now = this.#clock.now();
      const spentSince = (since: number): number => toUsdNumber(chargedSince(this.#db, accountId, since));
      return {
        balance_usd: toUsdNumber(availableTo(account)),
        total_spent_usd: toUsdNumber(account.spent),
        total_topped_up_usd: toUsdNumber(account.toppedUp),
        spent_this_week_usd: spentSince(startOfWeek(now)),
        spent_this_month_usd: spentSince(startOfMonth(now)),
        spent_this_year_usd: spentSince(startOfYear(now)),
      };
    });
  }

  #account(accountId: string): AccountRow {
    const account = findAccount(this.#db, accountId);
    if (!account) throw new TypeError(`Cannot bill: no account "${accountId}"`);
    return account;
  }

  #post(
    accountId: string,
    kind: 'top_up' | 'hold' | 'release' | 'charge',
    subject: string,
    amount: MicroUsd,
  ): void {
    postEntry(this.#db, { accountId, kind, subject, amount, createdAt: this.#clock.now() });
  }
}

/** What a finished job costs: max(minimum, rate x units) by the rates it was submitted under, 0 if it failed. */
export function chargeOf(job: JobRow): MicroUsd {
  if (job.status !== 'succeeded') return ZERO;
  return maxMicros(job.minimum, scaleMicros(job.rate, (job.milliUnits ?? 0) / 1000));
}

function availableTo(account: AccountRow): MicroUsd {
  return micros(account.toppedUp - account.spent - account.held);
}
