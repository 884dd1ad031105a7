import { systemClock } from '../../src/base/clock.ts';

const BUSY_MS_MAX = 5;

/**
 * Gives timers and sockets a turn between queries. SQLite works synchronously, and promises alone never leave the
 * microtask queue. Without such pauses, a series of queries would delay a voice channel's 20 ms tick.
 */
export class Breather {
  #busySinceMs: number | undefined;

  /** Records that a query is about to run. Returns true if queries have kept the event loop busy for more than 5 ms. */
  isDue(): boolean {
    const nowMs = systemClock.monotonic();
    if (this.#busySinceMs !== undefined) return nowMs - this.#busySinceMs > BUSY_MS_MAX;
    this.#busySinceMs = nowMs;
    setImmediate(() => {
      this.#busySinceMs = undefined;
    });
    return false;
  }

  /** Waits for one turn of the event loop. */
  breathe(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}
