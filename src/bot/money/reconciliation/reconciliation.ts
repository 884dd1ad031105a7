import { firstEntryAtMs } from '../../../../db/queries/entry-sums.ts';
import {
  insertReconciliation,
  listReconciliations,
  pruneReconciliations,
} from '../../../../db/queries/reconciliations.ts';
import { listChargedFailures } from '../../../../db/queries/service-calls.ts';
import type { Database } from '../../../../db/database.ts';
import { type Timer, withDeadline } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import { micros, subtractMicros } from '../../../base/money.ts';
import { ForeignUse } from '../ledger/foreign-use.ts';
import { compare } from './compare.ts';
import type { ReconcileContext, ReconciliationLimits } from './reconcile-context.ts';
import { type Report, fromRow, otherUse, toRow } from './report.ts';
import { type ReconciliationState, firstState, loadState, saveState } from './reconciliation-state.ts';
import { Turn } from './turn.ts';

type ReconciliationOptions = Omit<ReconcileContext, 'foreignUse' | 'limits'> & {
  readonly limits?: Partial<ReconciliationLimits> | undefined;
};

export const RECONCILIATION_LIMITS: ReconciliationLimits = {
  intervalMs: 1_800_000,
  passMsMax: 600_000,
  holdMsMax: 3 * 86_400_000,
  alarmAbove: micros(1_000_000),
};

const KEPT = 200;
const QUIET_MS = 86_400_000;
const FAILURES_AT_ONCE = 50;
/**
 * Jobs may be committed in a different order from that of their settle times, but each one at most this much later than
 * it was settled.
 */
const COMMIT_MS = 60_000;
/** The pause after a failed comparison. */
const RETRY_MS = 300_000;
/** The shortest time between a comparison and the next comparison that `soon` requests. */
const SOON_MS = 60_000;
/** The shortest wait before the next attempt to get the lock (`Turn`). */
const WAIT_MS_MIN = 1_000;

/**
 * Compares the books with the service at regular intervals in the background. Only one of the processes that share the
 * database does so at a time.
 */
export class Reconciliation implements AsyncDisposable {
  readonly #context: ReconcileContext;
  readonly #turn: Turn;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<Report | undefined> | undefined;
  /** On the monotonic clock, in milliseconds. */
  #endedAt = -Infinity;
  #dueAt = Infinity;

  constructor(options: ReconciliationOptions) {
    const { db, clock } = options;
    this.#context = {
      ...options,
      foreignUse: new ForeignUse({ clock }),
      limits: { ...RECONCILIATION_LIMITS, ...options.limits },
    };
    this.#turn = new Turn({ db, clock, owner: randomId('turn') });
  }

  /** Starts the first comparison now, and further ones at regular intervals. */
  start(): void {
    void this.run();
  }

  /**
   * Compares now. Returns `undefined` if another process is comparing or the service cannot be reached. Never rejects.
   */
  run(): Promise<Report | undefined> {
    return (this.#running ??= this.#runInTurn({ isEarly: true }).finally(() => (this.#running = undefined)));
  }

  /**
   * Requests an early comparison, because only a comparison can settle an open charge. The comparison starts at least
   * one minute after the last comparison.
   */
  soon(): void {
    const { clock } = this.#context;
    const delayMs = Math.max(0, this.#endedAt + SOON_MS - clock.monotonic());
    // Before `start`, nothing can be waiting for a comparison. A running comparison may already see the charge; if it
    // does not, `soon` is called again.
    if (!this.#timer || this.#running || this.#dueAt <= clock.monotonic() + delayMs) return;
    this.#schedule(delayMs, { isEarly: true });
  }

  /** Returns the result of the last comparison made by any process. */
  async latest(): Promise<Report | undefined> {
    return (await this.history(1))[0];
  }

  /** Returns the last comparisons, newest first: at most `limit`, and never more than 200. */
  async history(limit: number): Promise<readonly Report[]> {
    return (await listReconciliations(this.#context.db.kysely, limit)).map(fromRow);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The comparison stops'));
    this.#timer?.cancel();
    await this.#running;
  }

  async #runInTurn(options: { readonly isEarly: boolean }): Promise<Report | undefined> {
    const { clock, log, limits } = this.#context;
    const { signal } = this.#stopping;
    let nextMs = RETRY_MS;
    let work: Promise<unknown> = Promise.resolve();
    try {
      this.#timer?.cancel();
      const { passMsMax, intervalMs } = limits;
      // The lock is held for twice as long as the work may take, so that a process that is late notices that it lost
      // the lock.
      const taken = await this.#turn.take(2 * passMsMax, { ...options, intervalMs });
      if (taken !== 'taken') {
        nextMs = Math.max(WAIT_MS_MIN, taken);
        return undefined;
      }
      const report = await withDeadline(
        clock,
        passMsMax,
        (limited) => (work = this.#compare(limited)),
        signal,
      );
      nextMs = intervalMs;
      return report;
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, 'Cannot compare the books with the service, will try again');
      return undefined;
    } finally {
      // After an abort the work ends soon. Its outcome was handled above.
      await Promise.allSettled([work]);
      await this.#pause(nextMs);
    }
  }

  /** Releases the lock, even while the program is stopping, so that other processes need not wait until it expires. */
  async #pause(nextMs: number): Promise<void> {
    const { clock, log } = this.#context;
    await this.#turn
      .giveBack(nextMs)
      .catch((error: unknown) => log.warn({ error }, 'Cannot give back the turn to compare, it will expire'));
    if (this.#stopping.signal.aborted) return;
    this.#endedAt = clock.monotonic();
    this.#schedule(nextMs, { isEarly: false });
  }

  #schedule(delayMs: number, options: { readonly isEarly: boolean }): void {
    const { clock } = this.#context;
    this.#timer?.cancel();
    this.#dueAt = clock.monotonic() + delayMs;
    const again = (): void => {
      this.#running ??= this.#runInTurn(options).finally(() => (this.#running = undefined));
    };
    this.#timer = clock.after(delayMs, again, { background: true });
  }

  async #compare(signal: AbortSignal): Promise<Report | undefined> {
    const { db, clock, log } = this.#context;
    const state =
      (await loadState(db.kysely)) ?? firstState((await firstEntryAtMs(db.kysely)) ?? clock.now());
    const { report, next } = await compare(state, this.#context, signal);
    const told = await this.#tell(report, next, signal);
    const isKept = await this.#keep(db, report, told);
    log.info({ ...report, isKept }, 'Compared the books with the service');
    return isKept ? report : undefined;
  }

  /** Sends notes to the operator. Returns the state that records them as sent. */
  async #tell(report: Report, state: ReconciliationState, signal: AbortSignal): Promise<ReconciliationState> {
    const { db, notes, limits } = this.#context;
    const other = otherUse(report);
    const isNews = subtractMicros(other, state.told) > limits.alarmAbove;
    if (isNews) await notes.otherUse(report);
    const failures = await listChargedFailures(db.kysely, {
      afterMs: state.failuresToMs,
      toMs: report.madeAtMs - COMMIT_MS,
      limit: FAILURES_AT_ONCE,
    });
    signal.throwIfAborted();
    for (const { id, guild_id: guildId, capability, charged_micros: charged } of failures) {
      await notes.chargedFailure({ jobId: id, guildId, capability, charged });
    }
    const hasNews = isNews || failures.length > 0;
    const isQuiet = !hasNews && state.toldAtMs !== null && report.madeAtMs - state.toldAtMs > QUIET_MS;
    if (isQuiet) await notes.quiet();
    return {
      ...state,
      toldAtMs: hasNews ? report.madeAtMs : isQuiet ? null : state.toldAtMs,
      // If bookings of foreign use were reversed, the lower amount is stored, so that a new increase is reported again.
      told: isNews || other < state.told ? other : state.told,
      failuresToMs: failures.at(-1)?.settled_at_ms ?? state.failuresToMs,
    };
  }

  /**
   * Stores the result if this process still has the lock. Otherwise another process has started a comparison from the
   * same state.
   */
  #keep(db: Database, report: Report, state: ReconciliationState): Promise<boolean> {
    return db.transaction('account', async (trx) => {
      if (!(await this.#turn.isMine(trx))) return false;
      await saveState(trx, state);
      await insertReconciliation(trx, toRow(report));
      await pruneReconciliations(trx, KEPT);
      return true;
    });
  }
}
