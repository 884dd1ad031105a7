import type { RateLog, Reservation } from './rate-log.ts';

/** A `RateLog` for a key that only this process uses. It stores at most `limit` timestamps. */
export class MemoryRateLog implements RateLog {
  #takenAtMs: number[] = [];
  #frozenUntilMs = 0;

  reserve(now: () => number, windowMs: number, limit: number): Promise<Reservation> {
    const nowMs = now();
    if (nowMs < this.#frozenUntilMs) {
      return Promise.resolve({ granted: false, retryAtMs: this.#frozenUntilMs });
    }
    // If the wall clock was set back, stored times may lie far in the future, but must not block requests until then.
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
