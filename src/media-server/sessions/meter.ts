import type { Clock } from '../../base/clock.ts';

/**
 * Measures the billed time of a session: from the first converted frame, on a monotonic clock, and never beyond the
 * granted length.
 */
export class Meter {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #startedAt: number | undefined;
  #aliveAt: number;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#aliveAt = clock.monotonic();
  }

  /** Starts the meter. It is called whenever a converted frame has been sent, but only the first call has an effect. */
  start(): void {
    this.#startedAt ??= this.#clock.monotonic();
  }

  /** Records that data has arrived from the client. */
  touch(): void {
    this.#aliveAt = this.#clock.monotonic();
  }

  /** The time since data last arrived from the client. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#aliveAt;
  }

  /** Whole milliseconds streamed up to now; null before the first converted frame. */
  get streamedMs(): number | null {
    return this.#until(this.#clock.monotonic());
  }

  /** Whole milliseconds streamed up to when data last arrived from the client. */
  get streamedMsWhileAlive(): number | null {
    return this.#until(this.#aliveAt);
  }

  #until(end: number): number | null {
    if (this.#startedAt === undefined) return null;
    return Math.round(Math.min(Math.max(end - this.#startedAt, 0), this.#limitMs));
  }
}
