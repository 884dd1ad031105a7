/**
 * The length of a slot. In every time zone, midnight falls on a quarter of an hour in UTC, so the windows of all zones
 * consist of whole slots.
 */
const SLOT_MS = 900_000;

/** Returns the start of the quarter of an hour (UTC) that contains `atMs`. */
export function slotOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS) * SLOT_MS;
}
