import { systemClock, withDeadline } from '../src/base/clock.ts';

/** Lets one through at a time, first come first served. Every wait has an end. */
export class Turnstile {
  #taken = false;
  readonly #waiting = new Set<() => void>();

  /** Waits for a turn at most `limitMs`; throws `DeadlineError` after that. Pass every turn on with `leave`. */
  async enter(limitMs: number): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    await withDeadline(systemClock, limitMs, (signal) => this.#queue(signal));
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#taken = false;
  }

  #queue(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const enter = (): void => {
        this.#waiting.delete(enter);
        resolve();
      };
      this.#waiting.add(enter);
      signal.addEventListener('abort', () => this.#waiting.delete(enter), { once: true });
    });
  }
}
