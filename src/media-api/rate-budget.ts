import { BoundedQueue } from '../base/bounded-queue.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { MediaApiUnreachable } from './errors.ts';
import type { RateLog } from './rate-log.ts';

/** From first to last in line for the key's rate limit. */
export const PRIORITIES = ['interactive', 'reconcile', 'poll', 'sweep', 'background'] as const;

/** Who waits: a member, the charge of a finished job, a running job, the safety sweep, housekeeping. */
export type Priority = (typeof PRIORITIES)[number];

/** The share of the limit up to which a class may fill the window: what is above it stays for its betters. */
const SHARE: Readonly<Record<Priority, number>> = {
  interactive: 1,
  reconcile: 0.95,
  poll: 0.9,
  sweep: 0.6,
  background: 0.5,
};

const WINDOW_MS = 60_000;
const WAITING_PER_CLASS_MAX = 1000;
/** After this many grants past a lower class, and this long without one, its first waiter gets one slot. */
const PASSED_OVER_MAX = 9;
const OVERDUE_MS = 10_000;
/** Never ask a shared log more often than this. */
const ASK_AGAIN_MS_MIN = 10;
const FREEZE_MS_MAX = 600_000;

interface RateBudgetOptions {
  readonly log: RateLog;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
  /** Milliseconds added to the window: how much the latency of two requests may differ. */
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
 * The key's rate limit as one line with priorities. Never lets more than the limit leave in any rolling 60 s +
 * margin, which is safe for every phase of the service's fixed window. Lower classes fill only a share of the
 * window and take at most one slot between two grants of a higher class, so they neither starve nor hold it up.
 */
export class RateBudget implements Disposable {
  readonly #options: RateBudgetOptions;
  readonly #logger: Logger;
  readonly #lines: ReadonlyMap<Priority, BoundedQueue<Waiter>> = new Map(
    PRIORITIES.map((priority) => [priority, new BoundedQueue<Waiter>(WAITING_PER_CLASS_MAX)]),
  );
  readonly #passedOver = new Map<Priority, number>();
  /** When the class last got a slot or, if later, began to wait. */
  readonly #patientSinceMs = new Map<Priority, number>();
  #wentOutOfTurn = false;
  /** What the limit was cut to by the last freeze, and when that freeze ends. */
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

  /** How many requests wait for a slot. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, line) => sum + line.size, 0);
  }

  /** Resolves when one request may leave. Throws `MediaApiUnreachable` (phase `queue`) if none may in time. */
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
   * The service said `rate_limited`: nothing leaves, from any process, for `durationMs` (at most 10 minutes).
   * Somebody else seems to use the key, so this process goes on with half its limit and regains a tenth a minute.
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

  /** Fails everyone who waits with `closed`. */
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

  /** Grants slots until none is free or nobody waits; then sleeps until the log says to ask again. */
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
          // Wall time may be set back, here or in another process: never wait longer than a freeze and a window.
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

  /** Whose turn it is, and how full the window may be for it. */
  #next(): { readonly priority: Priority; readonly limit: number } | undefined {
    const waiting = PRIORITIES.filter((priority) => this.#line(priority).size > 0);
    const first = waiting[0];
    if (!first) return undefined;
    // Never two out of turn in a row: a lower class holds its betters up by one slot at most.
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
    // The line may have emptied while the log was asked; the slot then goes to whoever is first now.
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
