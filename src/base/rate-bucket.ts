import type { Clock } from './clock.ts';

/** Permits up to `perSecond` events at once, and the same number per second on average. */
export class RateBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  #left: number;
  #atMs: number;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#atMs = clock.monotonic();
  }

  /** Returns false if the event exceeds the rate. */
  take(): boolean {
    const nowMs = this.#clock.monotonic();
    const more = ((nowMs - this.#atMs) * this.#perSecond) / 1000;
    this.#left = Math.min(this.#perSecond, this.#left + more);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
