const DAY_MS = 86_400_000;
/** The first day of the epoch was a Thursday, three days after a Monday. */
const MONDAY_OFFSET_DAYS = 3;

/** Returns the most recent Monday 00:00 UTC, which may be `now` itself, in epoch milliseconds. */
export function startOfWeek(now: number): number {
  const day = Math.floor(now / DAY_MS);
  return (day - ((day + MONDAY_OFFSET_DAYS) % 7)) * DAY_MS;
}

/** Returns 00:00 UTC on the first day of the month. */
export function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** Returns 00:00 UTC on the first of January. */
export function startOfYear(now: number): number {
  return Date.UTC(new Date(now).getUTCFullYear(), 0);
}
