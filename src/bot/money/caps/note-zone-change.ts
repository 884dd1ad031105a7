import { deleteEndedZoneChanges, putZoneChange } from '../../../../db/queries/zone-changes.ts';
import type { Trx } from '../../../../db/schema.ts';
import { LIMITED_PERIODS, calendarOf, guildWindowAt } from './cap-calendar.ts';
import { slotOf } from './slot-of.ts';
import { Windows } from './windows.ts';

/**
 * For this long after a window's end, its amounts may still change. Later, a stored extension of the window is deleted,
 * so from then on only the calendar determines the window.
 */
const KEEP_MS = 100 * 86_400_000;

/**
 * Keeps the windows of a guild's own caps correct when its zone changes: the current window and the new zone's window
 * are merged and last until the later of the two ends. The caller stores the zone in the same transaction.
 */
export async function noteZoneChange(
  trx: Trx,
  change: {
    readonly guildId: string;
    readonly timeZone: string;
    readonly operatorZone: string;
    readonly nowMs: number;
  },
): Promise<void> {
  const { guildId, timeZone, operatorZone } = change;
  const calendar = await calendarOf(trx, guildId, operatorZone);
  if (timeZone === calendar.timeZone) return;
  const windows = new Windows();
  const atMs = slotOf(change.nowMs);
  for (const period of LIMITED_PERIODS) {
    const before = guildWindowAt(period, calendar, atMs, windows);
    const after = windows.at(period, timeZone, atMs);
    await putZoneChange(trx, {
      guild_id: guildId,
      period,
      counts_from_ms: before.beganMs,
      starts_at_ms: Math.min(before.startsAtMs, after.startsAtMs),
      ends_at_ms: Math.max(before.endsAtMs, after.endsAtMs),
      zone_before: calendar.timeZone,
    });
    await deleteEndedZoneChanges(trx, { guildId, period, beforeMs: atMs - KEEP_MS });
  }
}
