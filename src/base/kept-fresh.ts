import type { Clock, Timer } from './clock.ts';

interface KeptFreshOptions<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly clock: Clock;
  /** From a load that succeeded to the next. */
  readonly refreshMs: number;
  /** From a load that failed to the next; also the least time between two loads that `renew` causes. */
  readonly retryMs: number;
  /** A load failed; the last value stays. Not called for the end by disposing. */
  readonly onFailed: (error: unknown) => void;
}

/** A value from elsewhere that is loaded again and again in the background, so that nobody waits for it. */
export class KeptFresh<T> implements AsyncDisposable {
  readonly #options: KeptFreshOptions<T>;
  readonly #stopping = new AbortController();
  #value: T | null = null;
  #triedAtMs = -Infinity;
  #isOutdated = false;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: KeptFreshOptions<T>) {
    this.#options = options;
  }

  /** Null before the first load succeeded. */
  get value(): T | null {
    return this.#value;
  }

  /** Loads now, and from now on again and again. Resolves when this load has ended, one way or the other. */
  start(): Promise<void> {
    return (this.#running ??= this.#refresh().finally(() => (this.#running = undefined)));
  }

  /**
   * Loads because the value seems to be outdated: now or, right after another load, `retryMs` after that one. So many
   * calls cause few loads, and none is forgotten.
   */
  renew(): void {
    const { clock, retryMs } = this.#options;
    if (this.#stopping.signal.aborted) return;
    // The answer of a load that is under way may be older than what the caller knows.
    this.#isOutdated = this.#running !== undefined;
    if (!this.#isOutdated) this.#loadIn(this.#triedAtMs + retryMs - clock.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('Nobody needs it any longer'));
    this.#timer?.cancel();
    await this.#running;
  }

  async #refresh(): Promise<void> {
    const { load, clock, refreshMs, retryMs, onFailed } = this.#options;
    const { signal } = this.#stopping;
    this.#timer?.cancel();
    this.#triedAtMs = clock.now();
    this.#isOutdated = false;
    let nextMs = refreshMs;
    try {
      this.#value = await load(signal);
    } catch (error) {
      nextMs = retryMs;
      if (!signal.aborted) onFailed(error);
    }
    if (signal.aborted) return;
    this.#loadIn(this.#isOutdated ? retryMs : nextMs);
  }

  #loadIn(waitMs: number): void {
    this.#timer?.cancel();
    if (waitMs <= 0) void this.start();
    else this.#timer = this.#options.clock.after(waitMs, () => void this.start(), { background: true });
  }
}
