import { type Clock, type Timer, sleep } from '../../src/base/clock.ts';
import { FakeClock } from './fake-clock.ts';
import { QuietProcess } from './quiet-process.ts';

/** Time goes on by so much at most in one step, because not everything that is under way can be seen. */
const STEP_MS_MAX = 5;
const WITHIN_MS = 60_000;

export interface UntilOptions {
  /** How long the condition may take to come true, in milliseconds of this clock. Default 60,000. */
  readonly withinMs?: number;
  /** How often it is looked at, in milliseconds of this clock. Default 20. */
  readonly everyMs?: number;
}

/**
 * One clock for everything that runs in this process: the sandbox, the bot and the media service, with real sockets
 * between them. It stands still until a test lets time run, and then goes from timer to timer, each time only after
 * all that the last one caused has been worked on. A minute takes seconds, and a busy machine changes nothing but that.
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

  /** Lets time run until what is returned is disposed. */
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

  /** Lets time run until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    using _running = this.run();
    return await work;
  }

  /** Lets so much time pass. */
  pass(ms: number): Promise<void> {
    return this.during(sleep(this.#inner, ms));
  }

  /** Lets time run until `check` no longer throws; throws what it threw last when that takes too long. */
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

  /** Time stands still while the work is under way, which may be done in another thread. */
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
