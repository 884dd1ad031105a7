import { type Clock, type Timer, sleep } from '../../src/base/clock.ts';
import { FakeClock } from './fake-clock.ts';
import { QuietProcess } from './quiet-process.ts';

/** The longest step. It is short, because the clock cannot detect all pending work and wait for it. */
const STEP_MS_MAX = 5;
const WITHIN_MS = 60_000;

export interface UntilOptions {
  /** The longest time until the condition comes true, in milliseconds of this clock. Default 60,000. */
  readonly withinMs?: number;
  /** The interval of the checks, in milliseconds of this clock. Default 20. */
  readonly everyMs?: number;
}

/**
 * One clock for everything that runs in this process: the sandbox, the bot and the media service, with real
 * sockets between them. It stands still until a test lets time pass. Then it advances from timer to timer,
 * each time only after everything that the last timer caused has been processed. A simulated
 * minute takes a few seconds; a busy machine makes that slower and changes nothing else.
 */
export class LockstepClock implements Clock, AsyncDisposable {
  readonly #inner = new FakeClock();
  readonly #process: QuietProcess;
  readonly #works = new Set<Promise<unknown>>();
  #runs = 0;
  #running: Promise<void> | undefined;

  private constructor(process: QuietProcess) {
    this.#process = process;
  }

  static async start(): Promise<LockstepClock> {
    return new LockstepClock(await QuietProcess.watch());
  }

  now(): number {
    return this.#inner.now();
  }

  monotonic(): number {
    return this.#inner.monotonic();
  }

  after(delayMs: number, fire: () => void): Timer {
    return this.#inner.after(delayMs, fire);
  }

  /** Lets time pass until the returned value is disposed. */
  run(): Disposable {
    this.#runs++;
    this.#running ??= this.#go();
    let isRunning = true;
    return {
      [Symbol.dispose]: () => {
        if (isRunning) this.#runs--;
        isRunning = false;
      },
    };
  }

  /** Lets time pass until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    using _running = this.run();
    return await work;
  }

  /** Lets this much time pass. */
  pass(ms: number): Promise<void> {
    return this.during(sleep(this.#inner, ms));
  }

  /** Lets time pass until `check` no longer throws; after `withinMs`, throws the last error of `check`. */
  async until(
    check: () => unknown,
    { withinMs = WITHIN_MS, everyMs = 20 }: UntilOptions = {},
  ): Promise<void> {
    const endMs = this.monotonic() + withinMs;
    for (;;) {
      try {
        await this.during(Promise.resolve(check()));
        return;
      } catch (error) {
        if (this.monotonic() >= endMs) throw error;
      }
      await this.pass(everyMs);
    }
  }

  /** Stops time during the work, which may be done in another thread. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work);
    try {
      return await work;
    } finally {
      this.#works.delete(work);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#runs = 0;
    await this.#running;
    this.#process[Symbol.dispose]();
  }

  async #go(): Promise<void> {
    while (this.#runs > 0) {
      await this.#process.settled();
      if (this.#works.size > 0) await Promise.allSettled(this.#works);
      else if (this.#runs > 0) await this.#inner.advance(Math.min(this.#inner.nextMs, STEP_MS_MAX));
    }
    this.#running = undefined;
  }
}
