import { type Clock, systemClock } from '../../src/base/clock.ts';

/** Real time that can be set ahead; timers run as usual. */
export class ShiftedClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(...timer: Parameters<Clock['after']>): ReturnType<Clock['after']> {
    return systemClock.after(...timer);
  }

  shift(ms: number): void {
    this.#aheadMs += ms;
  }
}
