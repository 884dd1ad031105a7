import { LinkedSignal } from './linked-signal.ts';

/** A timer that can be cancelled. Cancelling it twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time. Tests pass a clock that they advance themselves. */
export interface Clock {
  /** Wall time in milliseconds since 1970 UTC. */
  now(): number;
  /** Milliseconds that never decrease. Only differences have a meaning. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`. Keeps the process running unless `background`. */
  after(delayMs: number, fire: () => void, options?: { background?: boolean }): Timer;
}

const DELAY_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, fire, options) {
    const handle = setTimeout(fire, Math.min(Math.max(delayMs, 0), DELAY_MS_MAX));
    if (options?.background) handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `delayMs` on `clock`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Runs `work` with a signal that aborts with a `DeadlineError` after `limitMs`, or when `signal` aborts. The wait ends
 * at the deadline even if `work` ignores the signal.
 */
export async function withDeadline<T>(
  clock: Clock,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  using linked = new LinkedSignal(signal);
  const timer = clock.after(limitMs, () => linked.abort(new DeadlineError(limitMs)));
  try {
    return await Promise.race([work(linked.signal), rejectOnAbort(linked.signal)]);
  } finally {
    timer.cancel();
  }
}

/** The wait exceeded `limitMs` milliseconds. */
export class DeadlineError extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`Gave up after ${limitMs} ms`);
    this.name = 'DeadlineError';
    this.limitMs = limitMs;
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
