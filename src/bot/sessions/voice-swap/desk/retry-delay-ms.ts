const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 60_000;
const FAILURES_MAX = 5;
/** A line that was open for this many milliseconds ends a series of failures. */
export const STEADY_MS = 30_000;

/**
 * Returns the milliseconds until a line may be requested again after this many consecutive failures; null if it may
 * not.
 */
export function retryDelayMs(failures: number): number | null {
  if (failures >= FAILURES_MAX) return null;
  return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failures - 1));
}
