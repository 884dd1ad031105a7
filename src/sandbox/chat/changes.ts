import type { Clock } from '../../base/clock.ts';

/** How long to wait. */
export interface WaitOptions {
  /** How long to wait, in milliseconds of real time. Default 5,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS_DEFAULT = 15_000;

/** Wakes waiters whenever something in the sandbox changed. */
export class Changes {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();

  /** `clock` measures the timeouts of waits, so it should be the real one. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever something changed, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves with the first value other than undefined that `check` returns, now or after a change.
   * Rejects when `timeoutMs` passed; the message says `what` was awaited and what `describe` sees instead.
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

  /** Resolves with true as soon as `check` holds, or with false when `timeoutMs` passed or the sandbox closed. */
  async holds(check: () => boolean, timeoutMs: number): Promise<boolean> {
    try {
      return await this.until(() => check() || undefined, { timeoutMs, what: 'a condition' });
    } catch (error) {
      if (error instanceof WaitError) return false;
      throw error;
    }
  }

  /** Rejects every wait, now and later. */
  close(): void {
    this.#closing.abort();
  }
}

/** What was awaited did not come in time. */
class WaitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WaitError';
  }
}
