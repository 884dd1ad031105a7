/** In every time zone midnight falls on a quarter of an hour, so the windows of all zones consist of whole slots. */
const SLOT_MS = 900_000;

/** The start of the quarter of an hour (UTC) that contains `atMs`. */
export function slotOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS) * SLOT_MS;
}
