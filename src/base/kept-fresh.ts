import type { Clock, Timer } from './clock.ts';

export interface KeptFreshOptions<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly clock: Clock;
  /** From a load that succeeded to the next. */
  readonly refreshMs: number;
  /** From a load that failed to the next; also the least between two loads that are asked for. */
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

  /** Loads soon because the value seems to be outdated; does nothing right after another load. */
  renew(): void {
    const { clock, retryMs } = this.#options;
    if (clock.now() - this.#triedAtMs >= retryMs) void this.start();
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
    let nextMs = refreshMs;
    try {
      this.#value = await load(signal);
    } catch (error) {
      nextMs = retryMs;
      if (!signal.aborted) onFailed(error);
    }
    if (signal.aborted) return;
    this.#timer = clock.after(nextMs, () => void this.start(), { background: true });
  }
}
