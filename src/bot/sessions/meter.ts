import type { Clock } from '../../base/clock.ts';

/**
 * Counts what a session will be billed for: from the first converted frame to the end, by a clock that cannot be set,
 * and never beyond the granted length.
 */
export class Meter {
  readonly #clock: Clock;
  readonly #grantedMs: number;
  readonly #beganAt: number;
  readonly #marginMs: number;
  #startedAt: number | undefined;
  #heardAt: number;
  #stoppedAt: number | undefined;

  /** Begins with connecting, which no service counts from later. */
  constructor(clock: Clock, options: { readonly grantedMs: number; readonly marginMs: number }) {
    this.#clock = clock;
    this.#grantedMs = options.grantedMs;
    this.#marginMs = Math.min(options.marginMs, options.grantedMs / 10);
    this.#beganAt = clock.monotonic();
    this.#heardAt = this.#beganAt;
  }

  /** A converted frame came. */
  hear(): void {
    if (this.#stoppedAt !== undefined) return;
    this.#heardAt = this.#clock.monotonic();
    this.#startedAt ??= this.#heardAt;
  }

  /** The session is over. */
  stop(): void {
    this.#stoppedAt ??= this.#clock.monotonic();
  }

  /** Whole milliseconds; 0 before the first converted frame. */
  get meteredMs(): number {
    if (this.#startedAt === undefined) return 0;
    const ms = (this.#stoppedAt ?? this.#clock.monotonic()) - this.#startedAt;
    return Math.round(Math.min(Math.max(ms, 0), this.#grantedMs));
  }

  /** Milliseconds since the last converted frame, or since connecting. */
  get quietMs(): number {
    return (this.#stoppedAt ?? this.#clock.monotonic()) - this.#heardAt;
  }

  /** Milliseconds until the session is to be closed: the granted limit, less a margin. */
  get leftMs(): number {
    if (this.#stoppedAt !== undefined) return 0;
    return Math.max(0, this.#beganAt + this.#grantedMs - this.#marginMs - this.#clock.monotonic());
  }
}
