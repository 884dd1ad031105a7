import { findGuildZone } from '../../db/queries/zone-changes.ts';
import type { Queryable } from '../../db/schema.ts';
import type { BudgetPeriod, CapPeriod, ZoneChangeRow } from '../../db/schema/caps.ts';
import type { CapTarget } from './cap.ts';
import type { Window } from './period.ts';
import type { Windows } from './windows.ts';

/** Those whose windows end. */
export const LIMITED_PERIODS: readonly BudgetPeriod[] = ['day', 'week', 'month'];

/** What the windows of a guild's caps go by. */
export interface CapCalendar {
  /** The operator's zone: what the operator allows goes by it, whatever a guild's admins choose. */
  readonly operatorZone: string;
  /** The zone of the guild's own caps: the one that its admins chose, or else the operator's. */
  readonly timeZone: string;
  /** Windows that changes of the zone made longer, oldest first in each period. */
  readonly changes: readonly ZoneChangeRow[];
}

/** The window of a cap. A change of zone can move its ends; `beganMs` stays, so it says which window it is. */
export interface CapWindow extends Window {
  readonly beganMs: number;
}

/** The calendar of a guild as it is stored now. */
export async function calendarOf(db: Queryable, guildId: string, operatorZone: string): Promise<CapCalendar> {
  const { timeZone, changes } = await findGuildZone(db, guildId);
  return { operatorZone, timeZone: timeZone ?? operatorZone, changes };
}

/** The window that counts, for this cap, what is used at `atMs`. */
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
 * The window of the guild's own caps. Once something was used in it, it only ever grows, whatever zones are set: so a
 * change of zone gives nobody more than they had. Once it ends, the calendar of the zone that is set then counts.
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

function plain(window: Window): CapWindow {
  return { ...window, beganMs: window.startsAtMs };
}
