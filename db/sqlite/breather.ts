import { systemClock } from '../../src/base/clock.ts';

const BUSY_MS_MAX = 5;

/**
 * Lets timers and sockets have their turn. SQLite works synchronously and promises alone never leave the
 * microtask queue, so without it a row of queries would keep the event loop from a voice channel's 20 ms tick.
 */
export class Breather {
  #busySinceMs: number | undefined;

  /** Waits for one turn of the event loop if there was none for more than 5 ms of work; otherwise not at all. */
  async breathe(): Promise<void> {
    const nowMs = systemClock.monotonic();
    if (this.#busySinceMs === undefined) {
      this.#busySinceMs = nowMs;
      setImmediate(() => {
        this.#busySinceMs = undefined;
      });
    } else if (nowMs - this.#busySinceMs > BUSY_MS_MAX) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
