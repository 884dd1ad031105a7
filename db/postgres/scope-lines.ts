import { Turnstile } from '../turnstile.ts';

interface Line {
  readonly turnstile: Turnstile;
  /** The number of callers in this queue, including the one whose turn it is. */
  users: number;
}

/**
 * One process's queues for scope locks. A caller that waits here does not hold a connection yet. Otherwise many callers
 * of one guild would occupy all connections while they wait for one another.
 */
export class ScopeLines {
  readonly #lines = new Map<string, Line>();

  /**
   * Waits for the caller's turn in each scope's queue, in the given order, which must be the same everywhere. Waits at
   * most `limitMs` for each, then throws `DeadlineError`. The caller disposes the result to end its turns.
   */
  async enter(scopes: readonly string[], limitMs: number): Promise<Disposable> {
    const taken: string[] = [];
    const leave = (): void => {
      for (const scope of taken.splice(0).toReversed()) this.#leave(scope);
    };
    try {
      for (const scope of scopes) {
        await this.#join(scope, limitMs);
        taken.push(scope);
      }
    } catch (error) {
      leave();
      throw error;
    }
    return { [Symbol.dispose]: leave };
  }

  async #join(scope: string, limitMs: number): Promise<void> {
    const line = this.#lines.get(scope) ?? { turnstile: new Turnstile(), users: 0 };
    this.#lines.set(scope, line);
    line.users += 1;
    try {
      await line.turnstile.enter(limitMs);
    } catch (error) {
      this.#forget(scope, line);
      throw error;
    }
  }

  #leave(scope: string): void {
    const line = this.#lines.get(scope);
    if (!line) return;
    line.turnstile.leave();
    this.#forget(scope, line);
  }

  #forget(scope: string, line: Line): void {
    line.users -= 1;
    if (line.users === 0) this.#lines.delete(scope);
  }
}
