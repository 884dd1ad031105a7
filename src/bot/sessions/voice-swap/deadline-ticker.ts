import { RecentValues } from '../../../audio/recent-values.ts';
import type { Clock, Timer } from '../../../base/clock.ts';

/** Whoever is later than this goes on from now: what was missed is not made up for in a burst. */
const LATE_MS_MAX = 60;
const REMEMBERED = 3000;

/**
 * Calls back at a steady rate while there is something to do. Each call has a moment of its own, counted from the
 * first one, so that late calls do not shift the ones after them.
 */
export class DeadlineTicker implements Disposable {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #tick: (nowMs: number, missed: number) => boolean;
  readonly #lateness = new RecentValues(REMEMBERED);
  #timer: Timer | undefined;
  #dueMs = 0;

  /** `tick` is told how many calls were left out before it, and says whether it wants to be called again. */
  constructor(clock: Clock, periodMs: number, tick: (nowMs: number, missed: number) => boolean) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#tick = tick;
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  /** How late calls were, in milliseconds; of the last minute of calls. */
  latenessMs(share: number): number {
    return this.#lateness.quantile(share);
  }

  /** Begins with a call at `atMs` of the monotonic clock; moves the next call there if it is running. */
  start(atMs: number): void {
    this.stop();
    this.#dueMs = atMs;
    this.#arm();
  }

  /** From within a call: the next one and all after it are this much earlier. */
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
