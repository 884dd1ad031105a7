import { unreachable } from '../../../base/errors.ts';
import { type Window, windowAt, windowsBetween } from '../caps/window.ts';

/** The period of a report. The `last_…` periods are over, and `total` is the whole time since money was first spent. */
export type SpendPeriod = 'day' | 'week' | 'month' | 'last_day' | 'last_week' | 'last_month' | 'total';

/** The length of one bucket of a report. */
type SpendStep = 'hour' | 'day' | 'week' | 'month';

/** The buckets into which a period is divided, in order and without gaps. */
export interface SpendBuckets {
  readonly step: SpendStep;
  /** Contains at least one bucket. */
  readonly buckets: readonly Window[];
  /** Whether the first bucket is longer than the others, because it also contains all earlier spending. */
  readonly isFirstLonger: boolean;
}

const BUCKETS_MAX = 48;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 31 * DAY_MS;
const DAYS_MAX = 34;
const WEEKS_MAX = 29;
const MONTHS_MAX = 46;

/**
 * Divides a period into buckets in the calendar of `timeZone`: a day into hours, a week or month into days, and `total`
 * into a readable number of buckets. `firstMs` is the time at which money was first spent.
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

/** Whether the period is still running, so that there is something to forecast. */
export function isOpen(period: SpendPeriod): boolean {
  return period === 'day' || period === 'week' || period === 'month';
}

/**
 * Divides a day into hours from its start. In zones whose offset is not a whole hour, these do not coincide with the
 * hours of UTC.
 */
function hoursOf({ startsAtMs, endsAtMs }: Window): SpendBuckets {
  const buckets: Window[] = [];
  for (let fromMs = startsAtMs; fromMs < endsAtMs; fromMs += HOUR_MS) {
    buckets.push({ startsAtMs: fromMs, endsAtMs: Math.min(fromMs + HOUR_MS, endsAtMs) });
  }
  return { step: 'hour', buckets, isFirstLonger: false };
}

function daysOf({ startsAtMs, endsAtMs }: Window, timeZone: string): SpendBuckets {
  const range = { fromMs: startsAtMs, toMs: endsAtMs, countMax: BUCKETS_MAX };
  return { step: 'day', buckets: windowsBetween('day', timeZone, range), isFirstLonger: false };
}

function everything(firstMs: number, nowMs: number, timeZone: string): SpendBuckets {
  const spanMs = nowMs - firstMs;
  const range = { fromMs: firstMs, toMs: nowMs + 1, countMax: BUCKETS_MAX };
  if (spanMs < DAYS_MAX * DAY_MS) {
    return { step: 'day', buckets: windowsBetween('day', timeZone, range), isFirstLonger: false };
  }
  if (spanMs < WEEKS_MAX * 7 * DAY_MS) {
    return { step: 'week', buckets: windowsBetween('week', timeZone, range), isFirstLonger: false };
  }
  const fromMs = Math.max(firstMs, nowMs - MONTHS_MAX * MONTH_MS);
  const months = windowsBetween('month', timeZone, { ...range, fromMs });
  const [oldest, ...others] = months;
  if (!oldest || oldest.startsAtMs <= firstMs)
    return { step: 'month', buckets: months, isFirstLonger: false };
  const { startsAtMs } = windowAt('month', timeZone, firstMs);
  return { step: 'month', buckets: [{ ...oldest, startsAtMs }, ...others], isFirstLonger: true };
}
