const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 60_000;
const FAILURES_MAX = 5;
/** A line that was open for this long, in milliseconds, was not part of a series of failures. */
export const STEADY_MS = 30_000;

/** Milliseconds until a line may be requested again after so many failures in a row; null: it is not. */
export function retryDelayMs(failures: number): number | null {
  if (failures >= FAILURES_MAX) return null;
  return Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failures - 1));
}
