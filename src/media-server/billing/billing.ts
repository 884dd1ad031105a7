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
import { type SessionEnd, findSession, finishSession, reservedBlocks } from '../store/sessions.ts';
import { sessionCharge } from './session-price.ts';

/**
 * Keeps the accounts' money. At all times, balance = topped up - spent - open holds. A session's block is the most that
 * the session can be charged. New holds and sessions are admitted only within the balance minus the blocks of open
 * sessions, so every open session can be paid for. Only a job that costs more than its hold can reduce the balance to
 * less than those blocks. Every operation is one transaction, or part of the caller's.
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
      this.#requireFree(accountId, amount, 'the estimated hold');
      this.#post(accountId, 'hold', jobId, amount);
    });
  }

  /** Throws `insufficient_balance` unless the balance covers the `block` of one more session. Makes no entry. */
  requireBlock(accountId: string, block: MicroUsd): void {
    this.#requireFree(accountId, block, 'the reserved block');
  }

  /**
   * Ends a session and charges its streamed time exactly once: at most its block, and 0 if it never streamed.
   * Returns whether this call settled it.
   */
  settleSession(sessionId: string, end: SessionEnd): boolean {
    return this.#db.transact(() => {
      const session = findSession(this.#db, sessionId);
      if (!session) return false;
      const charged = sessionCharge(session.rate, end.streamedMs ?? 0, session.block);
      const now = this.#clock.now();
      if (!finishSession(this.#db, sessionId, { ...end, charged, now })) return false;
      if (charged > 0) this.#post(session.accountId, 'charge', sessionId, charged);
      return true;
    });
  }

  /** Releases the job's hold, unless it was released already. */
  release(jobId: string): void {
    this.#db.transact(() => {
      const hold = findEntry(this.#db, jobId, 'hold');
      if (!hold || findEntry(this.#db, jobId, 'release')) return;
      this.#post(hold.accountId, 'release', jobId, hold.amount);
    });
  }

  /**
   * Settles a finished job exactly once, even if several callers try at the same time. A successful job
   * releases its hold and is charged, possibly more than the hold; a failed job costs 0. Returns whether this
   * call settled it.
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

  /** Returns the six amounts of `GET /v1/balance`. Periods are in UTC, and weeks begin on Monday. */
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

  /**
   * Throws if the balance minus the blocks of open sessions is too low. Those blocks are subtracted because they are
   * not yet debited, so that no session's charge can overdraw the account.
   */
  #requireFree(accountId: string, amount: MicroUsd, what: string): void {
    const available = availableTo(this.#account(accountId));
    const reserved = reservedBlocks(this.#db, accountId);
    if (available - reserved >= amount) return;
    const besides = reserved > 0 ? `, ${formatUsd(reserved)} of it reserved by open sessions,` : '';
    throw new ApiError(
      'insufficient_balance',
      `The balance of ${formatUsd(available)}${besides} does not cover ${what} of ${formatUsd(amount)}`,
    );
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

/**
 * Returns the cost of a finished job: max(minimum, rate x units) at the rates that applied when it was submitted, or 0
 * if it failed.
 */
export function chargeOf(job: JobRow): MicroUsd {
  if (job.status !== 'succeeded') return ZERO;
  return maxMicros(job.minimum, scaleMicros(job.rate, (job.milliUnits ?? 0) / 1000));
}

function availableTo(account: AccountRow): MicroUsd {
  return micros(account.toppedUp - account.spent - account.held);
}
