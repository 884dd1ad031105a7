import type { Clock, Timer } from './clock.ts';

/** What one line stands for. */
export interface CountedLine<Reason extends string> {
  readonly reason: Reason;
  /** Events since the last line of this reason. */
  readonly count: number;
}

interface Window {
  count: number;
  timer: Timer;
}

const WINDOW_MS = 60_000;

/**
 * Logs events that strangers can cause at any rate: the first of a reason at once, then one line a minute with the
 * number of those that followed. `Reason` is a closed union, which bounds what is kept.
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

  /** Logs what was only counted so far. */
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
