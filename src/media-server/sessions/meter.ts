import type { Clock } from '../../base/clock.ts';

/**
 * Counts what a session is billed for: from the first converted frame on, by a clock that cannot be set, and
 * never beyond the granted length.
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

  /** A converted frame was sent. */
  start(): void {
    this.#startedAt ??= this.#clock.monotonic();
  }

  /** The other side was heard from. */
  touch(): void {
    this.#aliveAt = this.#clock.monotonic();
  }

  /** How long ago the other side was last heard from. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#aliveAt;
  }

  /** Whole milliseconds streamed until now; null before the first converted frame. */
  get streamedMs(): number | null {
    return this.#until(this.#clock.monotonic());
  }

  /** The same until the other side was last heard from. */
  get streamedMsWhileAlive(): number | null {
    return this.#until(this.#aliveAt);
  }

  #until(end: number): number | null {
    if (this.#startedAt === undefined) return null;
    return Math.round(Math.min(Math.max(end - this.#startedAt, 0), this.#limitMs));
  }
}
