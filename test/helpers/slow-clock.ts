import { type Clock, systemClock } from '../../src/base/clock.ts';

const TIMES = 10;

/**
 * Time that passes at a tenth of its real speed, so that even on a busy machine, commands are answered before Discord's
 * deadlines.
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
