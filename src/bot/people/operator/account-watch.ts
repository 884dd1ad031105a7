import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type MicroUsd, addMicros } from '../../../base/money.ts';
import type { Database } from '../../../../db/database.ts';
import { sumOpenHolds } from '../../../../db/queries/holds.ts';
import { getSetting, replaceSetting } from '../../../../db/queries/settings.ts';
import type { Account } from '../../../media-api/account.ts';
import type { Alarms } from './alarms.ts';
import { putServiceBalance } from './service-balance.ts';
import type { OperatorAlert } from './operator-alert.ts';

interface AccountWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly account: Pick<Account, 'balance'>;
  readonly alarms: Alarms;
  /** The operator is alerted if the balance is lower than this. */
  readonly lowBalance: MicroUsd;
}

/** The interval between two readings of the balance, across all processes. */
const WATCH_MS = 300_000;
/** The shortest interval between two readings if there is a reason to read the balance again. */
const RENEW_MS = 30_000;
const ASKED = 'service_balance.asked_at_ms';

/**
 * Reads the balance of the service account every five minutes, in one of the processes, at the lowest priority. Stores
 * the balance, against which new jobs are checked, and alerts the operator if it is low.
 */
export class AccountWatch implements AsyncDisposable {
  readonly #options: AccountWatchOptions;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AccountWatchOptions) {
    this.#options = options;
  }

  /** Reads the balance now, unless another process has just done so, and then at regular intervals. */
  start(): void {
    this.#lookIn(0, WATCH_MS);
  }

  /** Reads the balance again soon, because the account may be empty, or may have been topped up. */
  renew(): void {
    if (this.#timer) this.#lookIn(0, RENEW_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The account watch stops'));
    this.#timer?.cancel();
    await this.#running;
  }

  #lookIn(delayMs: number, intervalMs: number): void {
    this.#timer?.cancel();
    if (this.#stopping.signal.aborted) return;
    const look = (): void => {
      this.#running ??= this.#look(intervalMs).then((waitMs) => {
        this.#running = undefined;
        this.#lookIn(waitMs ?? WATCH_MS, waitMs === null ? WATCH_MS : intervalMs);
      });
    };
    this.#timer = this.#options.clock.after(delayMs, look, { background: true });
  }

  /**
   * Reads the balance and returns null, even if reading fails. If this process must wait, returns the milliseconds
   * until it may read the balance.
   */
  async #look(intervalMs: number): Promise<number | null> {
    const { db, clock, log, account } = this.#options;
    const { signal } = this.#stopping;
    try {
      const waitMs = await this.#untilMyTurn(intervalMs);
      if (waitMs > 0) return waitMs;
      const { balance } = await account.balance({ signal });
      await putServiceBalance(db.kysely, { balance, asOfMs: clock.now() });
      await this.#judge(balance);
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, "Cannot read the balance of the service's account");
    }
    return null;
  }

  /**
   * Returns how long this process must wait before it reads the balance, in milliseconds: only one process does so per
   * interval. A clock that was set back does not delay the next reading.
   */
  async #untilMyTurn(intervalMs: number): Promise<number> {
    const { db, clock } = this.#options;
    const from = await getSetting(db.kysely, ASKED);
    const nowMs = clock.now();
    const sinceMs = from === undefined ? Infinity : Math.abs(nowMs - Number(from));
    if (sinceMs < intervalMs) return intervalMs - sinceMs;
    return (await replaceSetting(db.kysely, ASKED, { from, to: String(nowMs) })) ? 0 : intervalMs;
  }

  async #judge(balance: MicroUsd): Promise<void> {
    const { db, alarms, lowBalance: threshold } = this.#options;
    const { pending, review } = await sumOpenHolds(db.kysely);
    const held = addMicros(pending.amount, review.amount);
    await alarms.end('key_refused');
    for (const alert of await alarms.open()) {
      if (alert.kind === 'account_empty' && isCovered(alert, balance)) await alarms.end('account_empty');
    }
    if (balance < threshold || balance < held) {
      await alarms.raise({ kind: 'low_balance', balance, held, threshold });
    } else await alarms.end('low_balance');
  }
}

/**
 * Returns whether the balance covers the refused job. The service may require more than the price, so after a refusal
 * by the service only a balance higher than before counts.
 */
function isCovered(
  { needed, balance: before, by }: Extract<OperatorAlert, { kind: 'account_empty' }>,
  balance: MicroUsd,
): boolean {
  return by === 'service' && before !== null ? balance > before : balance >= needed;
}
