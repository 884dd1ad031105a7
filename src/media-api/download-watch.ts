import { type Clock, DeadlineError, type Timer } from '../base/clock.ts';
import { PrivateAddressError } from '../base/public-address.ts';
import { DownloadError } from './download-error.ts';

export interface DownloadLimits {
  readonly connectMs: number;
  /** The longest time without data, in milliseconds, before the headers or between two pieces of the body. */
  readonly stallMs: number;
  /** The time limit for one attempt, in milliseconds. */
  readonly totalMs: number;
}

/** Ends a download that stalls or takes too long, and converts its errors. */
export class DownloadWatch {
  readonly #clock: Clock;
  readonly #limits: DownloadLimits;
  readonly #controller = new AbortController();
  readonly #totalTimer: Timer;
  /** Aborts at a deadline, or with the caller's own signal. */
  readonly signal: AbortSignal;
  #stallTimer: Timer | undefined;
  #started = false;
  #diskFailure: unknown;

  constructor(clock: Clock, limits: DownloadLimits, callerSignal: AbortSignal) {
    this.#clock = clock;
    this.#limits = limits;
    this.signal = AbortSignal.any([callerSignal, this.#controller.signal]);
    this.#totalTimer = this.#timer(limits.totalMs);
    this.#stallTimer = this.#timer(limits.connectMs + limits.stallMs);
  }

  /** Records that the server has answered, or has sent more data. */
  alive(): void {
    this.#started = true;
    this.#stallTimer?.cancel();
    this.#stallTimer = this.#timer(this.#limits.stallMs);
  }

  /** Waits for work on the local disk, whose errors reach the caller unchanged. */
  async disk<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      this.#diskFailure = error;
      throw error;
    });
  }

  /** Converts an undici error to a `DownloadError`. A disk error is returned unchanged. */
  explain(error: unknown): unknown {
    if (error instanceof DownloadError || error === this.#diskFailure) return error;
    if (this.#controller.signal.aborted) return new DownloadError('timed_out');
    if (error instanceof PrivateAddressError) return new DownloadError('link_refused', { cause: error });
    return new DownloadError(this.#started ? 'cut_short' : 'connection_failed', { cause: error });
  }

  /** Cancels the deadlines. */
  end(): void {
    this.#stallTimer?.cancel();
    this.#totalTimer.cancel();
  }

  #timer(limitMs: number): Timer {
    return this.#clock.after(limitMs, () => this.#controller.abort(new DeadlineError(limitMs)));
  }
}
