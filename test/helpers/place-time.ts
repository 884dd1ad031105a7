import { vi } from 'vitest';
import type { UntilOptions } from './lockstep-clock.ts';

/** How a test waits for events in its community, with any clock; a `LockstepClock` is one implementation. */
export interface PlaceTime {
  monotonic(): number;
  /** Waits for work that needs time to pass. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Waits until `check` no longer throws. */
  until(check: () => unknown, options?: UntilOptions): Promise<void>;
}

/** Real time, for communities with parts in other processes. */
export const REAL_TIME: PlaceTime = {
  monotonic: () => performance.now(),
  during: (work) => work,
  async until(check, { withinMs: timeout = 30_000, everyMs: interval = 50 } = {}) {
    await vi.waitFor(check, { timeout, interval });
  },
};
