import type { Clock } from '../../base/clock.ts';

/** Options for a wait. */
export interface WaitOptions {
  /** The limit in milliseconds of real time. Default 5,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS_DEFAULT = 15_000;

/** Notifies waiters of every change in the sandbox. */
export class Changes {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();

  /** `clock` measures the timeouts of waits, so it should run in real time. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after every change, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves with the first value other than undefined that `check` returns, now or after a change. Rejects after
   * `timeoutMs`. The error's message names what was expected (`what`) and the current state (`describe`).
   */
  until<T>(
    check: () => T | undefined,
    options: WaitOptions & { readonly what: string; readonly describe?: () => string },
  ): Promise<T> {
    const timeoutMs = options.timeoutMs ?? TIMEOUT_MS_DEFAULT;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        timer.cancel();
        this.#listeners.delete(look);
        this.#closing.signal.removeEventListener('abort', onClose);
        settle();
      };
      const look = (): void => {
        try {
          const value = check();
          if (value !== undefined) finish(() => resolve(value));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const giveUp = (why: string): void => {
        const seen = options.describe ? `; there is ${options.describe()}` : '';
        finish(() => reject(new WaitError(`Cannot see ${options.what}: ${why}${seen}`)));
      };
      const onClose = (): void => giveUp('the sandbox was closed');
      const timer = this.#clock.after(timeoutMs, () => giveUp(`not within ${timeoutMs} ms`));
      this.#listeners.add(look);
      if (this.#closing.signal.aborted) return onClose();
      this.#closing.signal.addEventListener('abort', onClose, { once: true });
      look();
    });
  }

  /**
   * Resolves with true as soon as `check` returns true, otherwise with false after `timeoutMs` or when the sandbox
   * closes.
   */
  async holds(check: () => boolean, timeoutMs: number): Promise<boolean> {
    try {
      return await this.until(() => check() || undefined, { timeoutMs, what: 'a condition' });
    } catch (error) {
      if (error instanceof WaitError) return false;
      throw error;
    }
  }

  /** Rejects all current and future waits. */
  close(): void {
    this.#closing.abort();
  }
}

/** Thrown when the expected change did not happen in time. */
class WaitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WaitError';
  }
}
