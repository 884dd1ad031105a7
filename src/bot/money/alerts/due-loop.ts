import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';

interface DueLoopOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Handles the next item that is due. Returns false if none is due. */
  readonly handleNext: (stopping: AbortSignal) => Promise<boolean>;
  readonly nextDueAtMs: () => Promise<number | undefined>;
}

const IDLE_MS_MAX = 5_000;

/** Handles due items one after another, from `start` until it is disposed. */
export class DueLoop implements AsyncDisposable {
  readonly #options: DueLoopOptions;
  readonly #stopping = new AbortController();
  #isStarted = false;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isNudged = false;

  constructor(options: DueLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStarted = true;
    this.nudge();
  }

  /** Handles due items now. Does nothing before `start`. */
  nudge(): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#isNudged = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isNudged) this.nudge();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The outbox stops'));
    this.#timer?.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, nextDueAtMs } = this.#options;
    const { signal } = this.#stopping;
    this.#timer?.cancel();
    let wakeInMs = IDLE_MS_MAX;
    try {
      while (this.#isNudged && !signal.aborted) {
        this.#isNudged = false;
        await this.#handleDue();
      }
      const dueAtMs = await nextDueAtMs();
      wakeInMs = Math.min(IDLE_MS_MAX, Math.max(0, (dueAtMs ?? Infinity) - clock.now()));
    } catch (error) {
      log.error({ error }, 'Cannot look for alerts to send, will try again');
    }
    if (signal.aborted) return;
    this.#timer = clock.after(wakeInMs, () => this.nudge(), { background: true });
  }

  async #handleDue(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && (await this.#options.handleNext(signal)));
  }
}
