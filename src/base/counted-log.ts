import type { Clock, Timer } from './clock.ts';

/** The fields of one log line, which stands for one or more events. */
export interface CountedLine<Reason extends string> {
  readonly reason: Reason;
  /** The number of events since the last line with this reason. */
  readonly count: number;
}

interface Window {
  count: number;
  timer: Timer;
}

const WINDOW_MS = 60_000;

/**
 * Logs events that outside callers can cause at any rate. It logs the first event with a reason at once, and then one
 * line a minute with the number of further events. `Reason` is a closed union, which bounds the memory.
 */
export class CountedLog<Reason extends string> implements Disposable {
  readonly #clock: Clock;
  readonly #write: (line: CountedLine<Reason>) => void;
  readonly #windows = new Map<Reason, Window>();

  constructor(clock: Clock, write: (line: CountedLine<Reason>) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  add(reason: Reason): void {
    const window = this.#windows.get(reason);
    if (window) {
      window.count += 1;
      return;
    }
    this.#write({ reason, count: 1 });
    this.#windows.set(reason, { count: 0, timer: this.#later(reason) });
  }

  /** Logs the events that have been counted but not logged yet. */
  [Symbol.dispose](): void {
    for (const [reason, { count, timer }] of this.#windows) {
      timer.cancel();
      if (count > 0) this.#write({ reason, count });
    }
    this.#windows.clear();
  }

  #later(reason: Reason): Timer {
    return this.#clock.after(WINDOW_MS, () => this.#endWindow(reason), { background: true });
  }

  #endWindow(reason: Reason): void {
    const window = this.#windows.get(reason);
    if (!window) return;
    if (window.count === 0) return void this.#windows.delete(reason);
    this.#write({ reason, count: window.count });
    window.count = 0;
    window.timer = this.#later(reason);
  }
}
