import type { RateLog, Reservation } from './rate-log.ts';

/** A `RateLog` for a key that only this process uses. Holds at most `limit` times. */
export class MemoryRateLog implements RateLog {
  #takenAtMs: number[] = [];
  #frozenUntilMs = 0;

  reserve(now: () => number, windowMs: number, limit: number): Promise<Reservation> {
    const nowMs = now();
    if (nowMs < this.#frozenUntilMs) {
      return Promise.resolve({ granted: false, retryAtMs: this.#frozenUntilMs });
    }
    // After the wall clock was set back, requests of "the future" must not block for as long as that.
    this.#takenAtMs = this.#takenAtMs
      .filter((takenMs) => takenMs > nowMs - windowMs)
      .map((takenMs) => (takenMs > nowMs + windowMs ? nowMs : takenMs));
    const inTheWay = this.#takenAtMs[this.#takenAtMs.length - limit];
    if (inTheWay !== undefined) {
      return Promise.resolve({ granted: false, retryAtMs: inTheWay + windowMs });
    }
    this.#takenAtMs.push(nowMs);
    return Promise.resolve({ granted: true });
  }

  freeze(untilMs: number): Promise<void> {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, untilMs);
    return Promise.resolve();
  }
}
