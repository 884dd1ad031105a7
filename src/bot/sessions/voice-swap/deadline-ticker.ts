import { RecentValues } from '../../../audio/recent-values.ts';
import type { Clock, Timer } from '../../../base/clock.ts';

/** If a call is later than this (in milliseconds), the calls that were due in the meantime are skipped. */
const LATE_MS_MAX = 60;
const REMEMBERED = 3000;

/**
 * Calls back at a steady rate while there is work. Due times are counted from the first call, so that a late call does
 * not delay those after it.
 */
export class DeadlineTicker implements Disposable {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #tick: (nowMs: number, missed: number) => boolean;
  readonly #lateness = new RecentValues(REMEMBERED);
  #timer: Timer | undefined;
  #dueMs = 0;

  /**
   * `tick` receives the number of calls that were skipped before this call, and returns whether the calls must
   * continue.
   */
  constructor(clock: Clock, periodMs: number, tick: (nowMs: number, missed: number) => boolean) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#tick = tick;
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** Returns the given quantile of how late the last 3,000 calls were, in milliseconds. */
  latenessMs(share: number): number {
    return this.#lateness.quantile(share);
  }

  /**
   * Makes the first call at `atMs` of the monotonic clock; if the ticker is running, moves the next call to that time.
   */
  start(atMs: number): void {
    this.stop();
    this.#dueMs = atMs;
    this.#arm();
  }

  /** Brings the next call and all later ones forward by `ms`. Must be called from within `tick`. */
  advance(ms: number): void {
    this.#dueMs -= ms;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#dueMs - this.#clock.monotonic(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonic();
    const lateMs = Math.max(0, nowMs - this.#dueMs);
    this.#lateness.add(lateMs);
    const missed = lateMs > LATE_MS_MAX ? Math.floor(lateMs / this.#periodMs) : 0;
    this.#dueMs += (missed + 1) * this.#periodMs;
    const goesOn = this.#tick(nowMs, missed);
    if (goesOn && !this.#timer) this.#arm();
  }
}
