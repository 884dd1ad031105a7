import { type Clock, sleep } from './clock.ts';

/** Exponential backoff with jitter. All times are in milliseconds. */
export interface Backoff {
  readonly delayMsFirst: number;
  readonly delayMsMax: number;
}

/**
 * Returns the wait in milliseconds after attempt number `attempt`, counted from 1: a random time from half to all of a
 * delay that doubles with each attempt.
 */
export function backoffMs(backoff: Backoff, attempt: number, random: () => number = Math.random): number {
  const ceilingMs = Math.min(backoff.delayMsMax, backoff.delayMsFirst * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceilingMs * (0.5 + 0.5 * random()));
}

interface RetryOptions extends Backoff {
  readonly clock: Clock;
  readonly attemptsMax: number;
  /** `false` stops the retries. A number is the wait in milliseconds that the other side requested. */
  readonly retryable: (error: unknown) => boolean | number;
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Runs `attempt` until it succeeds. Throws the last error if that is not retryable or `attemptsMax` is reached. */
export async function retry<T>(options: RetryOptions, attempt: (attempt: number) => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt(number);
    } catch (error) {
      const verdict = options.retryable(error);
      if (verdict === false || number >= options.attemptsMax || options.signal?.aborted) throw error;
      const delayMs = verdict === true ? backoffMs(options, number, options.random) : verdict;
      await sleep(options.clock, delayMs, options.signal);
    }
  }
}
