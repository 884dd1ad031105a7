/** How often a webhook is tried before it is given up. */
export const ATTEMPTS_MAX = 6;

/** How long an attempt waits for an answer. */
export const RESPONSE_WAIT_MS = 10_000;

const FIRST_DELAY_MS = 30_000;

/**
 * The wait after failed attempt `attempt` (from 1): 30 s, 1, 2, 4 and 8 minutes, 15.5 minutes in all.
 * Undefined after the last one.
 */
export function retryDelayMs(attempt: number): number | undefined {
  return attempt < ATTEMPTS_MAX ? FIRST_DELAY_MS * 2 ** (attempt - 1) : undefined;
}
