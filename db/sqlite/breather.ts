import { systemClock } from '../../src/base/clock.ts';

const BUSY_MS_MAX = 5;

/**
 * Lets timers and sockets have their turn. SQLite works synchronously, and promises alone never leave the microtask
 * queue. Without the pauses, a series of queries would keep the event loop from a voice channel's 20 ms tick.
 */
export class Breather {
  #busySinceMs: number | undefined;

  /** Records that there is work to do. Returns true if the event loop had no turn during more than 5 ms of work. */
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
