import { DeadlineError, systemClock } from '../src/base/clock.ts';

/** Admits one caller at a time, in the order of arrival. Every wait has a limit. */
export class Turnstile {
  #taken = false;
  readonly #waiting = new Set<() => void>();

  /** Waits at most `limitMs` for a turn, then throws `DeadlineError`. End every turn with `leave`. */
  async enter(limitMs: number): Promise<void> {
    if (this.#taken) return this.#queue(limitMs);
    this.#taken = true;
  }

  /** Whether a caller is waiting for the current turn to end. */
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
