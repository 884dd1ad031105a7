import type { CapPeriod } from '../../../../db/schema/caps.ts';
import { type Window, windowAt } from './window.ts';

const WINDOWS_MAX = 1_000;

/**
 * Caches the last result of `windowAt` for each zone and period, because computing a calendar takes longer than
 * everything else that a hold involves.
 */
export class Windows {
  readonly #last = new Map<string, Window>();

  /** Returns the window that contains `atMs`. Throws `RangeError` for a zone that does not exist. */
  at(period: CapPeriod, timeZone: string, atMs: number): Window {
    const key = `${period} ${timeZone}`;
    const last = this.#last.get(key);
    if (last && last.startsAtMs <= atMs && atMs < last.endsAtMs) return last;
    const window = windowAt(period, timeZone, atMs);
    if (this.#last.size >= WINDOWS_MAX) this.#last.clear();
    this.#last.set(key, window);
    return window;
  }
}
