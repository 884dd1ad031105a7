/** The number of attempts before a webhook is abandoned. */
export const ATTEMPTS_MAX = 6;

/** How long an attempt waits for an answer. */
export const RESPONSE_WAIT_MS = 10_000;

const FIRST_DELAY_MS = 30_000;

/**
 * Returns the delay after attempt number `attempt` (from 1) has failed: 30 s, then 1, 2, 4 and 8 minutes, which are
 * 15.5 minutes in all. Returns `undefined` after the last attempt.
 */
export function retryDelayMs(attempt: number): number | undefined {
  return attempt < ATTEMPTS_MAX ? FIRST_DELAY_MS * 2 ** (attempt - 1) : undefined;
}
