import { callerNetworks } from './caller-group.ts';

interface Network {
  readonly name: string;
  held: number;
}

/** A place that a caller holds. It counts in each of the caller's networks, which are listed widest first. */
export interface Share {
  readonly networks: readonly Network[];
}

/** A caller's hold on a place, such as a connection. */
interface Holder {
  readonly share: Share;
  /**
   * When the place was taken: a later time has a higher value. Among otherwise equal holders, the one with the lowest
   * value gives way first.
   */
  readonly since: number;
}

/** The rule by which a holder gives way to a newcomer. */
export interface Standing {
  /**
   * The callers to which the holder gives way. `everyone`: all callers, and such a holder gives way before all
   * others; `equals`: callers that hold no more places than the holder's caller; `lighter`: callers that hold fewer.
   */
  readonly to: 'everyone' | 'equals' | 'lighter';
  /** Among holders whose callers hold the same number of places, those with a lower rank give way first. */
  readonly rank: number;
}

const LEVELS = 3;

/**
 * Counts the places that callers hold, by each of their networks. One caller can own many networks, so counting only by
 * the smallest networks would not be enough.
 */
export class CallerShares {
  readonly #networks = new Map<string, Network>();

  /** Counts a place for the caller at this address until `leave` is called. */
  take(address: string): Share {
    return { networks: callerNetworks(address).map((name) => this.#enter(name)) };
  }

  /** Returns a share that counts in no network, for a caller whose address many callers may share. */
  takeAlone(): Share {
    return { networks: [] };
  }

  /** Ends a share. The caller must call it once per share. */
  leave({ networks }: Share): void {
    for (const network of networks) {
      network.held -= 1;
      if (network.held === 0) this.#networks.delete(network.name);
    }
  }

  #enter(name: string): Network {
    const network = this.#networks.get(name) ?? { name, held: 0 };
    network.held += 1;
    this.#networks.set(name, network);
    return network;
  }
}

interface Candidate<T extends Holder> {
  readonly holder: T;
  readonly standing: Standing;
}

/**
 * Returns the holder that gives way to a newcomer, or undefined if none does. The newcomer's own share is already
 * counted. Among the holders that may give way, those whose callers hold the most places come first. `standingOf` is
 * called once for each holder; a holder without a standing never gives way.
 */
export function firstToGiveWay<T extends Holder>(
  holders: Iterable<T>,
  newcomer: Share,
  standingOf: (holder: T) => Standing | undefined,
): T | undefined {
  let first: Candidate<T> | undefined;
  for (const holder of holders) {
    const standing = standingOf(holder);
    if (!standing || holder.share === newcomer || !mayGo(holder.share, newcomer, standing)) continue;
    const candidate = { holder, standing };
    if (!first || goesBefore(candidate, first)) first = candidate;
  }
  return first?.holder;
}

function mayGo(share: Share, newcomer: Share, { to }: Standing): boolean {
  const more = to === 'everyone' ? Infinity : compareShares(share, newcomer);
  return more > 0 || (more === 0 && to === 'equals');
}

function goesBefore<T extends Holder>(one: Candidate<T>, other: Candidate<T>): boolean {
  const sooner =
    Number(one.standing.to === 'everyone') - Number(other.standing.to === 'everyone') ||
    compareShares(one.holder.share, other.holder.share) ||
    other.standing.rank - one.standing.rank ||
    other.holder.since - one.holder.since;
  return sooner > 0;
}

/**
 * Compares the widest networks first, so that a caller gains nothing by using many small networks within a wide one.
 */
function compareShares(one: Share, other: Share): number {
  for (let level = 0; level < LEVELS; level++) {
    const more = heldAt(one, level) - heldAt(other, level);
    if (more !== 0) return more;
  }
  return 0;
}

function heldAt({ networks }: Share, level: number): number {
  return (networks[level] ?? networks.at(-1))?.held ?? 1;
}
