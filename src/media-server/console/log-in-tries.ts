import { callerGroup } from '../../base/caller-group.ts';
import type { Clock } from '../../base/clock.ts';

/** A caller that tries to log in. */
export interface LogInCaller {
  /** Whether the caller is on this machine and uses no proxy. */
  readonly isLocal: boolean;
  /** The caller's address, or that of a proxy that does not forward the caller's address. */
  readonly address: string;
}

/** The most tries of one caller within the window. */
const TRIES_MAX = 5;
const WINDOW_MS = 60_000;
/** Number of callers whose tries are stored. Beyond it, callers from elsewhere have to wait. */
const CALLERS_MAX = 1_000;
const LOCAL = 'local';

/**
 * Counts the log-in tries of each caller: an address, or a /64 of IPv6. All callers on this machine count as one
 * separate caller, so tries from elsewhere cannot lock them out.
 */
export class LogInTries {
  readonly #clock: Clock;
  /** The times at which each caller tried, oldest first. */
  readonly #tries = new Map<string, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a try. Returns the number of seconds that the caller has to wait, or undefined if they may try now. */
  count(caller: LogInCaller): number | undefined {
    const now = this.#clock.monotonic();
    const key = keyOf(caller);
    const recent = this.#recent(key, now);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= TRIES_MAX) {
      return Math.ceil((oldest + WINDOW_MS - now) / 1000);
    }
    if (recent.length === 0 && key !== LOCAL && !this.#hasRoom(now)) return WINDOW_MS / 1000;
    this.#tries.set(key, [...recent, now]);
    return undefined;
  }

  /** Forgets the tries of a caller that knew the password. */
  forget(caller: LogInCaller): void {
    this.#tries.delete(keyOf(caller));
  }

  #hasRoom(now: number): boolean {
    if (this.#tries.size < CALLERS_MAX) return true;
    for (const key of this.#tries.keys()) if (this.#recent(key, now).length === 0) this.#tries.delete(key);
    return this.#tries.size < CALLERS_MAX;
  }

  #recent(key: string, now: number): readonly number[] {
    return (this.#tries.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
  }
}

function keyOf({ isLocal, address }: LogInCaller): string {
  return isLocal ? LOCAL : callerGroup(address);
}
