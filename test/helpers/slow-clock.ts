import { type Clock, systemClock } from '../../src/base/clock.ts';

const TIMES = 10;

/**
 * Time that passes ten times as slowly, because the time to answer a command on a busy machine is not tested
 * here.
 */
export class SlowClock implements Clock {
  readonly #startMs = systemClock.now();
  readonly #startedMs = systemClock.monotonic();

  now(): number {
    return this.#startMs + Math.trunc(this.#elapsedMs());
  }

  monotonic(): number {
    return this.#startedMs + this.#elapsedMs();
  }

  after(delayMs: number, fire: () => void, options?: { background?: boolean }): ReturnType<Clock['after']> {
    return systemClock.after(delayMs * TIMES, fire, options);
  }

  #elapsedMs(): number {
    return (systemClock.monotonic() - this.#startedMs) / TIMES;
  }
}
