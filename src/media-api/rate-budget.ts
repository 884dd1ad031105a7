import { BoundedQueue } from '../base/bounded-queue.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { MediaApiUnreachable } from './errors.ts';
import type { RateLog } from './rate-log.ts';

/** The priorities for the key's rate limit, from first to last. */
export const PRIORITIES = ['interactive', 'reconcile', 'poll', 'sweep', 'background'] as const;

/**
 * The purpose of a request, in the order of `PRIORITIES`: a member's command, a finished job's charge, polling a
 * running job, the safety sweep, or housekeeping.
 */
export type Priority = (typeof PRIORITIES)[number];

/** The share of the limit up to which a priority class may fill the window. The rest is left for higher classes. */
const SHARE: Readonly<Record<Priority, number>> = {
  interactive: 1,
  reconcile: 0.95,
  poll: 0.9,
  sweep: 0.6,
  background: 0.5,
};

const WINDOW_MS = 60_000;
const WAITING_PER_CLASS_MAX = 1000;
/** A lower class that has been passed over this many times, and has waited this long for a slot, gets one slot. */
const PASSED_OVER_MAX = 9;
const OVERDUE_MS = 10_000;
/** The shortest interval between two queries of the shared log. */
const ASK_AGAIN_MS_MIN = 10;
const FREEZE_MS_MAX = 600_000;

interface RateBudgetOptions {
  readonly log: RateLog;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
  /** Milliseconds added to the window: the largest difference between the latencies of two requests. */
  readonly marginMs: number;
  /** The longest wait for a slot in milliseconds. */
  readonly waitMsMax: number;
  readonly logger?: Logger;
}

interface Waiter {
  readonly priority: Priority;
  readonly grant: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * A queue with priorities for the key's rate limit. It never sends more requests than the limit in any rolling window
 * of 60 s plus the margin, which is safe wherever the service's fixed window starts. Lower classes fill only a share
 * of the window and take at most one slot between two slots of a higher class, so they neither starve nor delay higher
 * classes.
 */
export class RateBudget implements Disposable {
  readonly #options: RateBudgetOptions;
  readonly #logger: Logger;
  readonly #lines: ReadonlyMap<Priority, BoundedQueue<Waiter>> = new Map(
    PRIORITIES.map((priority) => [priority, new BoundedQueue<Waiter>(WAITING_PER_CLASS_MAX)]),
  );
  readonly #passedOver = new Map<Priority, number>();
  /** For each class, the time at which it last got a slot or started to wait, whichever is later. */
  readonly #patientSinceMs = new Map<Priority, number>();
  #wentOutOfTurn = false;
  /** The reduced limit after the last freeze, and the time at which that freeze ends. */
  #cut: { readonly limit: number; readonly fromMs: number } | undefined;
  #serving = false;
  #askAgain = false;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: RateBudgetOptions) {
    if (!Number.isInteger(options.requestsPerMinute) || options.requestsPerMinute < 1) {
      throw new RangeError(`Cannot keep a limit of ${options.requestsPerMinute} requests a minute`);
    }
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
  }

  /** The number of requests that are waiting for a slot. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  /** Resolves when one request may be sent. Throws `MediaApiUnreachable` (phase `queue`) if no slot is free in time. */
  take(priority: Priority, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const waiter: Waiter = {
        priority,
        grant: () => end(resolve),
        fail: (error) => end(() => reject(error)),
      };
      const leave = (code: 'aborted' | 'queue_timed_out', cause?: unknown): void => {
        this.#line(priority).remove((other) => other === waiter);
        waiter.fail(notSent(code, cause));
      };
      const onAbort = (): void => leave('aborted', signal?.reason);
      const { clock, waitMsMax } = this.#options;
      const timer = clock.after(waitMsMax, () => leave('queue_timed_out'), { background: true });
      if (this.#closed) return waiter.fail(notSent('closed'));
      if (signal?.aborted) return waiter.fail(notSent('aborted', signal.reason));
      if (this.#line(priority).size === 0) this.#patientSinceMs.set(priority, clock.now());
      if (!this.#line(priority).push(waiter)) return waiter.fail(notSent('queue_full'));
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#wake();
    });
  }

  /**
   * Handles the service's `rate_limited`: no process sends a request for `durationMs` (at most 10 minutes). Another
   * program seems to be using the key, so this process continues with half its limit and regains a tenth of the full
   * limit per minute.
   */
  async freeze(durationMs: number): Promise<void> {
    const { clock, log } = this.#options;
    const boundedMs = Math.min(Math.max(durationMs, 0), FREEZE_MS_MAX);
    const untilMs = clock.now() + boundedMs;
    const alreadyFrozen = this.#cut !== undefined && clock.now() < this.#cut.fromMs;
    const limit = alreadyFrozen && this.#cut ? this.#cut.limit : Math.ceil(this.#limitNow() / 2);
    this.#cut = { limit, fromMs: Math.max(untilMs, this.#cut?.fromMs ?? 0) };
    this.#logger.warn({ durationMs: boundedMs }, 'Rate limit met: holding all requests of the key');
    await log.freeze(untilMs);
  }

  /** Rejects all waiting requests with `closed`. */
  [Symbol.dispose](): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#failAll(notSent('closed'));
  }

  #wake(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#serve().catch((error: unknown) => this.#failAll(error));
  }

  /**
   * Grants slots until none is free or no request is waiting. If none is free, it tries again at the time that the
   * log returned.
   */
  async #serve(): Promise<void> {
    this.#askAgain = true;
    if (this.#serving) return;
    this.#serving = true;
    try {
      for (let next = this.#next(); next && !this.#closed; next = this.#next()) {
        this.#askAgain = false;
        const { log, clock, marginMs } = this.#options;
        const windowMs = WINDOW_MS + marginMs;
        const answer = await log.reserve(() => clock.now(), windowMs, next.limit);
        if (answer.granted) this.#grant(next.priority);
        else if (!this.#askAgain && !this.#closed) {
          // The wall clock may have been set back, here or in another process, so the wait is limited to the longest
          // freeze plus one window.
          const waitMs = Math.min(
            Math.max(answer.retryAtMs - clock.now(), ASK_AGAIN_MS_MIN),
            FREEZE_MS_MAX + windowMs,
          );
          this.#timer = clock.after(waitMs, () => this.#wake());
          return;
        }
      }
    } finally {
      this.#serving = false;
    }
  }

  /** Returns the class that gets the next slot, and the number of requests up to which the window may be filled. */
  #next(): { readonly priority: Priority; readonly limit: number } | undefined {
    const waiting = PRIORITIES.filter((priority) => this.#line(priority).size > 0);
    const first = waiting[0];
    if (!first) return undefined;
    // An overdue class never gets two slots in a row, so it delays higher classes by one slot at most.
    const overdue = this.#wentOutOfTurn
      ? undefined
      : waiting.slice(1).find((priority) => this.#isOverdue(priority));
    const limit = Math.max(1, Math.floor(this.#limitNow() * SHARE[first]));
    return { priority: overdue ?? first, limit };
  }

  #isOverdue(priority: Priority): boolean {
    const waitedMs = this.#options.clock.now() - (this.#patientSinceMs.get(priority) ?? 0);
    return waitedMs >= OVERDUE_MS && (this.#passedOver.get(priority) ?? 0) >= PASSED_OVER_MAX;
  }

  #limitNow(): number {
    const { requestsPerMinute, clock } = this.#options;
    if (!this.#cut) return requestsPerMinute;
    const minutes = Math.max(0, Math.floor((clock.now() - this.#cut.fromMs) / WINDOW_MS));
    return Math.min(requestsPerMinute, this.#cut.limit + minutes * Math.ceil(requestsPerMinute / 10));
  }

  #grant(priority: Priority): void {
    // The class's queue may have emptied while the log was queried. The slot then goes to whichever request is first
    // now.
    const next = this.#line(priority).size > 0 ? priority : this.#next()?.priority;
    const waiter = next && this.#line(next).shift();
    if (!waiter) return;
    this.#wentOutOfTurn = PRIORITIES.some(
      (other) =>
        this.#line(other).size > 0 && PRIORITIES.indexOf(other) < PRIORITIES.indexOf(waiter.priority),
    );
    this.#passedOver.set(waiter.priority, 0);
    this.#patientSinceMs.set(waiter.priority, this.#options.clock.now());
    for (const other of PRIORITIES.slice(PRIORITIES.indexOf(waiter.priority) + 1)) {
      const count = this.#line(other).size > 0 ? (this.#passedOver.get(other) ?? 0) + 1 : 0;
      this.#passedOver.set(other, count);
    }
    waiter.grant();
  }

  #failAll(error: unknown): void {
    for (const line of this.#lines.values()) {
      for (let waiter = line.shift(); waiter; waiter = line.shift()) waiter.fail(error);
    }
  }

  #line(priority: Priority): BoundedQueue<Waiter> {
    const line = this.#lines.get(priority);
    if (!line) throw new TypeError(`Cannot queue: unknown priority "${priority}"`);
    return line;
  }
}

function notSent(
  code: 'aborted' | 'queue_timed_out' | 'queue_full' | 'closed',
  cause?: unknown,
): MediaApiUnreachable {
  return new MediaApiUnreachable('ask the service', { code, phase: 'queue', ambiguous: false, cause });
}
