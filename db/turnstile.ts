import { DeadlineError, systemClock } from '../src/base/clock.ts';

/** Lets one through at a time, first come first served. Every wait has an end. */
export class Turnstile {
  #taken = false;
  readonly #waiting = new Set<() => void>();

  /** Waits for a turn at most `limitMs`; throws `DeadlineError` after that. Pass every turn on with `leave`. */
  async enter(limitMs: number): Promise<void> {
    if (this.#taken) return this.#queue(limitMs);
    this.#taken = true;
  }

  /** Whether somebody would enter if it were left now. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#taken = false;
  }

  #queue(limitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = systemClock.after(limitMs, () => {
        this.#waiting.delete(enter);
        reject(new DeadlineError(limitMs));
      });
      const enter = (): void => {
        timer.cancel();
        this.#waiting.delete(enter);
        resolve();
      };
      this.#waiting.add(enter);
    });
  }
}
