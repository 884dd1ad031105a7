const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 60_000;
const FAILURES_MAX = 5;
/** A line that has been open for this many milliseconds ends a series of failures. */
export const STEADY_MS = 30_000;

/**
 * Returns how many milliseconds must pass after this many consecutive failures before a line may be requested again;
 * null if none may be requested.
 */
export function retryDelayMs(failures: number): number | null {
  if (failures >= FAILURES_MAX) return null;
  return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failures - 1));
}
