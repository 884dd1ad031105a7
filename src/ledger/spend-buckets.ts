import { unreachable } from '../base/errors.ts';
import { type Window, windowAt } from './period.ts';

/** What a report is about; `last_…` are those that are over, `total` is everything since the beginning. */
export type SpendPeriod = 'day' | 'week' | 'month' | 'last_day' | 'last_week' | 'last_month' | 'total';

/** How long the parts of a report are. */
export type SpendStep = 'hour' | 'day' | 'week' | 'month';

/** The parts of a period, in order and without gap: their sums are the sum of the whole. */
export interface SpendBuckets {
  readonly step: SpendStep;
  /** At least one. */
  readonly buckets: readonly Window[];
  /** The first one holds everything up to its end, longer than the others. */
  readonly isFirstLonger: boolean;
}

export const BUCKETS_MAX = 48;

const HOUR_MS = 3_600_000;
const DAYS_MAX = 35;
const WEEKS_MAX = 30;

/**
 * Cuts a period into hours (a day), days (a week, a month) or what makes a readable number of parts (`total`), by the
 * calendar of `timeZone`. `firstMs` is when spending began.
 */
export function bucketsOf(
  period: SpendPeriod,
  place: { readonly timeZone: string; readonly nowMs: number; readonly firstMs: number | undefined },
): SpendBuckets {
  const { timeZone, nowMs, firstMs } = place;
  const current = (unit: 'day' | 'week' | 'month'): Window => windowAt(unit, timeZone, nowMs);
  const before = (unit: 'day' | 'week' | 'month'): Window =>
    windowAt(unit, timeZone, current(unit).startsAtMs - 1);
  switch (period) {
    case 'day':
      return hoursOf(current('day'));
    case 'last_day':
      return hoursOf(before('day'));
    case 'week':
      return daysOf(current('week'), timeZone);
    case 'last_week':
      return daysOf(before('week'), timeZone);
    case 'month':
      return daysOf(current('month'), timeZone);
    case 'last_month':
      return daysOf(before('month'), timeZone);
    case 'total':
      return everything(Math.min(firstMs ?? nowMs, nowMs), nowMs, timeZone);
    default:
      return unreachable(period);
  }
}

/** Whether time still goes on in the period, so that there is something to forecast. */
export function isOpen(period: SpendPeriod): boolean {
  return period === 'day' || period === 'week' || period === 'month';
}

/** Hours by the clock of UTC: those of zones that are not whole hours away begin in between, as midnight does there. */
function hoursOf({ startsAtMs, endsAtMs }: Window): SpendBuckets {
  const buckets: Window[] = [];
  for (let fromMs = startsAtMs; fromMs < endsAtMs; fromMs += HOUR_MS) {
    buckets.push({ startsAtMs: fromMs, endsAtMs: Math.min(fromMs + HOUR_MS, endsAtMs) });
  }
  return { step: 'hour', buckets, isFirstLonger: false };
}

function daysOf({ startsAtMs, endsAtMs }: Window, timeZone: string): SpendBuckets {
  return { step: 'day', buckets: windowsOf('day', startsAtMs, endsAtMs, timeZone), isFirstLonger: false };
}

function everything(firstMs: number, nowMs: number, timeZone: string): SpendBuckets {
  const dayMs = 24 * HOUR_MS;
  const spanMs = nowMs - firstMs;
  if (spanMs < (DAYS_MAX - 1) * dayMs) {
    return { step: 'day', buckets: windowsOf('day', firstMs, nowMs + 1, timeZone), isFirstLonger: false };
  }
  if (spanMs < (WEEKS_MAX - 1) * 7 * dayMs) {
    return { step: 'week', buckets: windowsOf('week', firstMs, nowMs + 1, timeZone), isFirstLonger: false };
  }
  const months = newestMonths(firstMs, nowMs, timeZone);
  const [oldest] = months;
  const isFirstLonger = oldest !== undefined && oldest.startsAtMs > firstMs;
  const buckets = isFirstLonger
    ? [
        { startsAtMs: windowAt('month', timeZone, firstMs).startsAtMs, endsAtMs: oldest.endsAtMs },
        ...months.slice(1),
      ]
    : months;
  return { step: 'month', buckets, isFirstLonger };
}

function windowsOf(unit: 'day' | 'week', fromMs: number, toMs: number, timeZone: string): readonly Window[] {
  const windows = [windowAt(unit, timeZone, fromMs)];
  for (let last = windows[0]; last && last.endsAtMs < toMs && windows.length < BUCKETS_MAX;) {
    last = windowAt(unit, timeZone, last.endsAtMs);
    windows.push(last);
  }
  return windows;
}

/** The months up to now, oldest first, but no more than can be shown. */
function newestMonths(firstMs: number, nowMs: number, timeZone: string): readonly Window[] {
  const months = [windowAt('month', timeZone, nowMs)];
  for (let oldest = months[0]; oldest && oldest.startsAtMs > firstMs && months.length < BUCKETS_MAX;) {
    oldest = windowAt('month', timeZone, oldest.startsAtMs - 1);
    months.unshift(oldest);
  }
  return months;
}
