import type { CapPeriod } from '../../../../db/schema/caps.ts';
import { type Window, windowAt } from '../../../../src/bot/money/caps/window.ts';

/** A window in which something was spent. Everything spent from `fromMs` until the window ends counts in it. */
interface Met {
  readonly fromMs: number;
  startsAtMs: number;
  endsAtMs: number;
}

const PERIODS = ['day', 'week', 'month'] as const;

/**
 * A model of the windows of a guild's own caps. It stores every window in which something was spent. A change of the
 * time zone extends the current windows.
 */
export class ModelWindows {
  readonly #met = { day: [] as Met[], week: [] as Met[], month: [] as Met[] };
  /** Results are cached, because calendar calculations take most of the time here. */
  readonly #calendar = new Map<string, Window>();
  #zone: string;

  constructor(zone: string) {
    this.#zone = zone;
  }

  at(period: CapPeriod, atMs: number): Window {
    if (period === 'total') return this.#ask(period, atMs);
    const met = this.#met[period].find(({ fromMs, endsAtMs }) => fromMs <= atMs && atMs < endsAtMs);
    return met ?? this.#ask(period, atMs);
  }

  /** Records that something is spent at this time. */
  meet(nowMs: number): void {
    for (const period of PERIODS) this.#present(period, nowMs);
  }

  change(zone: string, nowMs: number): void {
    const present = PERIODS.map((period) => [period, this.#present(period, nowMs)] as const);
    if (zone === this.#zone) return;
    this.#zone = zone;
    for (const [period, met] of present) {
      const { startsAtMs, endsAtMs } = this.#ask(period, nowMs);
      met.startsAtMs = Math.min(met.startsAtMs, startsAtMs);
      met.endsAtMs = Math.max(met.endsAtMs, endsAtMs);
    }
  }

  #present(period: (typeof PERIODS)[number], nowMs: number): Met {
    const met = this.#met[period];
    const known = met.find(({ fromMs, endsAtMs }) => fromMs <= nowMs && nowMs < endsAtMs);
    if (known) return known;
    const { startsAtMs, endsAtMs } = this.#ask(period, nowMs);
    const fresh = { fromMs: startsAtMs, startsAtMs, endsAtMs };
    met.push(fresh);
    return fresh;
  }

  #ask(period: CapPeriod, atMs: number): Window {
    const name = `${period} ${this.#zone} ${atMs}`;
    const window = this.#calendar.get(name) ?? windowAt(period, this.#zone, atMs);
    this.#calendar.set(name, window);
    return window;
  }
}
