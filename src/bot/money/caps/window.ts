import type { BudgetPeriod, CapPeriod } from '../../../../db/schema/caps.ts';
import { unreachable } from '../../../base/errors.ts';

/** A span of time from `startsAtMs` (included) to `endsAtMs` (excluded), in epoch milliseconds. */
export interface Window {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** The window of `total`: from the epoch to the last time that a `Date` can represent. */
const ALL_TIME: Window = { startsAtMs: 0, endsAtMs: 8_640_000_000_000_000 };

/**
 * Returns the window of `period` that contains `nowMs`. The window of `total` never ends. Throws `RangeError` for a
 * zone that does not exist.
 */
export function windowAt(period: CapPeriod, timeZone: string, nowMs: number): Window {
  return period === 'total' ? ALL_TIME : calendarWindowAt(period, timeZone, nowMs);
}

/**
 * Returns the day, week (from Monday) or month that contains `nowMs`, in the calendar of `timeZone`. Windows follow one
 * another without gaps or overlaps, even when clocks change. A window starts at the first instant at which clocks show
 * its first date.
 */
function calendarWindowAt(period: BudgetPeriod, timeZone: string, nowMs: number): Window {
  const calendar = new ZoneCalendar(timeZone);
  const first = calendar.firstDateAt(period, nowMs);
  return { startsAtMs: calendar.startOf(first), endsAtMs: calendar.startOf(nextAfter(period, first)) };
}

/**
 * Returns the windows of `period` from the one that contains `fromMs` to the last one that starts before `toMs`, oldest
 * first, at most `countMax`. They share one calendar, because creating a calendar costs more than using it.
 */
export function windowsBetween(
  period: BudgetPeriod,
  timeZone: string,
  { fromMs, toMs, countMax }: { readonly fromMs: number; readonly toMs: number; readonly countMax: number },
): readonly Window[] {
  const calendar = new ZoneCalendar(timeZone);
  const windows: Window[] = [];
  let first = calendar.firstDateAt(period, fromMs);
  let startsAtMs = calendar.startOf(first);
  while (startsAtMs < toMs && windows.length < countMax) {
    first = nextAfter(period, first);
    const endsAtMs = calendar.startOf(first);
    // A window is empty if the zone skips its date.
    if (endsAtMs > startsAtMs) windows.push({ startsAtMs, endsAtMs });
    startsAtMs = endsAtMs;
  }
  return windows;
}

/** A calendar date without a zone, stored as the UTC midnight of that day in epoch milliseconds. */
type DateMs = number;

const DAY_MS = 86_400_000;
const MONDAY = 1;

function firstDateOf(period: BudgetPeriod, date: DateMs): DateMs {
  const day = new Date(date);
  switch (period) {
    case 'day':
      return date;
    case 'week':
      return date - ((day.getUTCDay() + 7 - MONDAY) % 7) * DAY_MS;
    case 'month':
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
    default:
      return unreachable(period);
  }
}

function nextAfter(period: BudgetPeriod, first: DateMs): DateMs {
  const day = new Date(first);
  switch (period) {
    case 'day':
      return first + DAY_MS;
    case 'week':
      return first + 7 * DAY_MS;
    case 'month':
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
    default:
      return unreachable(period);
  }
}

/** Converts between instants and the dates that clocks in one zone show. */
class ZoneCalendar {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  dateAt(nowMs: number): DateMs {
    const wallMs = nowMs + this.#offsetAt(nowMs);
    return Math.floor(wallMs / DAY_MS) * DAY_MS;
  }

  /** Returns the first date of the window that contains `nowMs`. */
  firstDateAt(period: BudgetPeriod, nowMs: number): DateMs {
    const first = firstDateOf(period, this.dateAt(nowMs));
    const next = nextAfter(period, first);
    // After clocks go back across midnight, they show, for a while, a date whose window has already ended.
    return nowMs >= this.startOf(next) ? next : first;
  }

  /**
   * Returns the first instant at which clocks show `date`. If clocks skip midnight, this is the instant of the skip.
   */
  startOf(date: DateMs): number {
    const before = this.#offsetAt(date - DAY_MS);
    const after = this.#offsetAt(date + DAY_MS);
    // The candidates are tried in ascending order, so that the earlier one is used if midnight occurs twice.
    for (const offset of before > after ? [before, after] : [after, before]) {
      if (this.#offsetAt(date - offset) === offset) return date - offset;
    }
    return this.#changeBetween(date - after, date - before);
  }

  /** Returns the instant after `fromMs`, at most `toMs`, at which the zone's offset changes. */
  #changeBetween(fromMs: number, toMs: number): number {
    const offset = this.#offsetAt(fromMs);
    let [low, high] = [fromMs, toMs];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }

  /** Returns by how many milliseconds clocks in the zone are ahead of UTC. */
  #offsetAt(atMs: number): number {
    const fields = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of this.#format.formatToParts(atMs)) {
      if (type in fields) fields[type as keyof typeof fields] = Number(value);
    }
    const { year, month, day, hour, minute, second } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000;
  }
}
