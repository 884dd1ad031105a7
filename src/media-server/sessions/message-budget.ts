import type { Clock } from '../../base/clock.ts';

/** Allows `perSecond` messages a second, and as many at once after a pause. */
export class MessageBudget {
  readonly #clock: Clock;
  readonly #perSecond: number;
  #left: number;
  #filledAt: number;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#filledAt = clock.monotonic();
  }

  /** Takes one message; false when there were too many. */
  spend(): boolean {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#filledAt) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + earned);
    this.#filledAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
