import type { Clock, Timer } from './clock.ts';

interface RefreshedValueOptions<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly clock: Clock;
  /** The time in milliseconds from a successful load to the next one. */
  readonly refreshMs: number;
  /**
   * The time in milliseconds from a failed load to the next one, and the shortest time between two loads that `renew`
   * causes.
   */
  readonly retryMs: number;
  /** Called when a load fails, but not when disposal ends it. The last value is kept. */
  readonly onFailed: (error: unknown) => void;
}

/** A remote value that is loaded repeatedly in the background, so that readers never wait for it. */
export class RefreshedValue<T> implements AsyncDisposable {
  readonly #options: RefreshedValueOptions<T>;
  readonly #stopping = new AbortController();
  #value: T | null = null;
  #triedAtMs = -Infinity;
  #isOutdated = false;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: RefreshedValueOptions<T>) {
    this.#options = options;
  }

  /** Null until the first load succeeds. */
  get value(): T | null {
    return this.#value;
  }

  /** Starts loading: now, and then repeatedly. Resolves when the first load has succeeded or failed. */
  start(): Promise<void> {
    return (this.#running ??= this.#refresh().finally(() => (this.#running = undefined)));
  }

  /**
   * Loads the value again because it seems outdated, but not sooner than `retryMs` after the last load. Many calls
   * cause few loads, and no call is lost.
   */
  renew(): void {
    const { clock, retryMs } = this.#options;
    if (this.#stopping.signal.aborted) return;
    // A load that is already running may return a value from before the change that the caller has seen.
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
