import { findGuildZone } from '../../../../db/queries/zone-changes.ts';
import type { Queryable } from '../../../../db/schema.ts';
import type { BudgetPeriod, CapPeriod, ZoneChangeRow } from '../../../../db/schema/caps.ts';
import type { CapTarget } from './cap.ts';
import type { Window } from './window.ts';
import { Windows } from './windows.ts';

/** The periods that have an end. */
export const LIMITED_PERIODS: readonly BudgetPeriod[] = ['day', 'week', 'month'];

/** The time zones that determine the windows of a guild's caps, and the windows that zone changes extended. */
export interface CapCalendar {
  /** The operator's zone. The operator's limits always follow it, whichever zone a guild's admins choose. */
  readonly operatorZone: string;
  /** The zone of the guild's own caps: the one that its admins chose, or else the operator's. */
  readonly timeZone: string;
  /** Windows that zone changes extended, oldest first in each period. */
  readonly changes: readonly ZoneChangeRow[];
}

/** The window of a cap. A zone change can move its ends; `beganMs` stays the same and identifies the window. */
export interface CapWindow extends Window {
  readonly beganMs: number;
}

/** Returns a guild's calendar as it is currently stored. */
export async function calendarOf(db: Queryable, guildId: string, operatorZone: string): Promise<CapCalendar> {
  const { timeZone, changes } = await findGuildZone(db, guildId);
  return { operatorZone, timeZone: timeZone ?? operatorZone, changes };
}

/** Returns the window of this cap that contains `atMs`. */
export function capWindowAt(
  { target, period }: { readonly target: CapTarget; readonly period: CapPeriod },
  calendar: CapCalendar,
  atMs: number,
  windows: Windows,
): CapWindow {
  const isOperators = target.kind === 'operator' || target.kind === 'default';
  return isOperators
    ? plain(windows.at(period, calendar.operatorZone, atMs))
    : guildWindowAt(period, calendar, atMs, windows);
}

/**
 * Returns the window of the guild's own caps. Once an amount is used in a window, a zone change can only extend the
 * window, so that no change gives a member more to spend. The next window follows the zone that is set when the current
 * window ends.
 */
export function guildWindowAt(
  period: CapPeriod,
  calendar: CapCalendar,
  atMs: number,
  windows: Windows,
): CapWindow {
  for (const change of calendar.changes) {
    if (change.period !== period || atMs >= change.ends_at_ms) continue;
    if (atMs < change.counts_from_ms) return plain(windows.at(period, change.zone_before, atMs));
    const { counts_from_ms: beganMs, starts_at_ms: startsAtMs, ends_at_ms: endsAtMs } = change;
    return { beganMs, startsAtMs, endsAtMs };
  }
  return plain(windows.at(period, calendar.timeZone, atMs));
}

/** Returns the periods whose window at `atMs` ends later than it would by the calendar in the guild's zone. */
export function lengthenedPeriods(
  calendar: CapCalendar,
  atMs: number,
): { readonly period: BudgetPeriod; readonly resetsAtMs: number }[] {
  const windows = new Windows();
  return LIMITED_PERIODS.flatMap((period) => {
    const { endsAtMs } = guildWindowAt(period, calendar, atMs, windows);
    const isLonger = endsAtMs > windows.at(period, calendar.timeZone, atMs).endsAtMs;
    return isLonger ? [{ period, resetsAtMs: endsAtMs }] : [];
  });
}

function plain(window: Window): CapWindow {
  return { ...window, beganMs: window.startsAtMs };
}
