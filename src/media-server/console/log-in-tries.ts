import { callerGroup } from '../../base/caller-group.ts';
import type { Clock } from '../../base/clock.ts';

/** Who tries to log in. */
export interface LogInCaller {
  /** On this machine, through no proxy. */
  readonly isLocal: boolean;
  /** The caller's address, or that of a proxy which does not say whom it stands for. */
  readonly address: string;
}

/** Tries of one caller within the window. */
const TRIES_MAX = 5;
const WINDOW_MS = 60_000;
/** Callers whose tries are remembered; beyond it, callers from elsewhere wait. */
const CALLERS_MAX = 1_000;
const LOCAL = 'local';

/**
 * Counts the tries of each caller to log in: an address, or a /64 of IPv6. All callers on this machine are one of their
 * own, so nothing that is tried from elsewhere locks them out.
 */
export class LogInTries {
  readonly #clock: Clock;
  /** When each caller tried, the oldest first. */
  readonly #tries = new Map<string, readonly number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a try. Returns after how many seconds the caller may try, if that is not now. */
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

  /** The caller knew the password. */
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
