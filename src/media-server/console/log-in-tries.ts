import { callerGroup, callerNetworks } from '../../base/caller-group.ts';
import { CallerShares, type Share, type Standing, firstToGiveWay } from '../../base/caller-shares.ts';
import type { Clock } from '../../base/clock.ts';

/** A caller that tries to log in. */
export interface LogInCaller {
  /** Whether the caller is on this machine and uses no proxy. */
  readonly isLocal: boolean;
  /** The caller's address, or that of a proxy that does not forward the caller's address. */
  readonly address: string;
}

interface Try {
  readonly caller: string;
  readonly share: Share;
  /** The time of the try on the monotonic clock, in milliseconds. */
  readonly since: number;
}

/** The largest number of tries by one caller within the window. */
const TRIES_MAX = 5;
const WINDOW_MS = 60_000;
/** The largest number of tries from other machines that are counted. */
const ELSEWHERE_MAX = 60;
const LOCAL = 'local';
const COUNTED: Standing = { to: 'lighter', rank: 0 };

/**
 * Counts the log-in tries of each caller, which is an IPv4 address or an IPv6 /64. All callers on this machine together
 * count as one separate caller, so tries from other machines cannot lock them out. If there are too many tries from
 * other machines, a try by a caller with fewer tries replaces one by a caller with more. A caller with many networks
 * therefore cannot lock out others.
 */
export class LogInTries {
  readonly #clock: Clock;
  readonly #shares = new CallerShares();
  /** All counted tries, oldest first. */
  #tries: readonly Try[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a try. Returns the number of seconds that the caller has to wait, or `undefined` if the caller may
   * try now.
   */
  count(caller: LogInCaller): number | undefined {
    const now = this.#clock.monotonic();
    this.#keep(({ since }) => since > now - WINDOW_MS);
    const key = keyOf(caller);
    const own = this.#tries.filter((other) => other.caller === key);
    if (own.length >= TRIES_MAX) return secondsUntilOver(own, now);
    const share = caller.isLocal ? this.#shares.takeAlone() : this.#shares.take(caller.address);
    if (!caller.isLocal && !this.#makeRoom(share)) {
      this.#shares.leave(share);
      return secondsUntilOver(this.#tries, now);
    }
    this.#tries = [...this.#tries, { caller: key, share, since: now }];
    return undefined;
  }

  /** Returns how many tries are counted for the caller's widest network. */
  countOf(caller: LogInCaller): number {
    const [widest] = callerNetworks(caller.address);
    return this.#tries.find(({ share }) => share.networks[0]?.name === widest)?.share.networks[0]?.held ?? 0;
  }

  /** Deletes the tries of a caller that entered the right password. */
  clear(caller: LogInCaller): void {
    const key = keyOf(caller);
    this.#keep((other) => other.caller !== key);
  }

  /** Makes room for the newcomer's try, if necessary by deleting another try. Returns whether there is room. */
  #makeRoom(newcomer: Share): boolean {
    const elsewhere = this.#tries.filter(({ caller }) => caller !== LOCAL);
    if (elsewhere.length < ELSEWHERE_MAX) return true;
    const first = firstToGiveWay(elsewhere, newcomer, () => COUNTED);
    this.#keep((other) => other !== first);
    return first !== undefined;
  }

  #keep(isKept: (one: Try) => boolean): void {
    for (const one of this.#tries) if (!isKept(one)) this.#shares.leave(one.share);
    this.#tries = this.#tries.filter(isKept);
  }
}

function secondsUntilOver([oldest]: readonly Try[], now: number): number {
  return Math.ceil(((oldest?.since ?? now) + WINDOW_MS - now) / 1000);
}

function keyOf({ isLocal, address }: LogInCaller): string {
  return isLocal ? LOCAL : callerGroup(address);
}
