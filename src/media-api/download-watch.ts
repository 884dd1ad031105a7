import { type Clock, DeadlineError, type Timer } from '../base/clock.ts';
import { PrivateAddressError } from '../base/public-address.ts';
import { DownloadError } from './download-error.ts';

export interface DownloadLimits {
  readonly connectMs: number;
  /** The longest silence, in milliseconds, before the headers and between two pieces of the body. */
  readonly stallMs: number;
  /** One try in all, in milliseconds. */
  readonly totalMs: number;
}

/** Ends a download that stands still or takes too long, and words what went wrong. */
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

  /** The other side answers, or has sent another piece. */
  alive(): void {
    this.#started = true;
    this.#stallTimer?.cancel();
    this.#stallTimer = this.#timer(this.#limits.stallMs);
  }

  /** Runs work on the local disk: its error is the caller's to see as it is. */
  async disk<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      this.#diskFailure = error;
      throw error;
    });
  }

  /** What `error`, thrown by undici or the disk, means. */
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
