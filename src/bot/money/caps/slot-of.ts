/** Every time zone's midnight is on a quarter of an hour, so windows of all of them are made of whole slots. */
const SLOT_MS = 900_000;

/** The beginning of the quarter of an hour (UTC) that `atMs` lies in. */
export function slotOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS) * SLOT_MS;
}
