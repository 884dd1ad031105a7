import type { UsageRecord } from '../../../media-api/account.ts';
import { ENDPOINT, type PricedCapability } from '../../../media-api/wire.ts';
import { type KnownCall, couldBe, fits } from './known-call.ts';
import { type Links, narrow } from './narrow.ts';

/** A cluster of calls and records that are linked with each other, directly or indirectly, and with nothing else. */
export interface Cluster {
  readonly calls: readonly KnownCall[];
  readonly records: readonly UsageRecord[];
  readonly links: ReadonlyMap<KnownCall, ReadonlySet<UsageRecord>>;
}

/** Clusters with more calls or records than this are not examined. */
const CLUSTER_MAX = 24;
/** The most calls to examine together before `narrow` separates them into clusters. */
const NEAR_MAX = 120;

interface Line {
  /** Calls that have ended, sorted by `fromMs`. */
  readonly calls: readonly KnownCall[];
  /** For each of these calls, the latest end among that call and all before it. */
  readonly endsMs: readonly number[];
  /** Running calls, sorted by `fromMs`. */
  readonly endless: readonly KnownCall[];
  /** Sorted by time. */
  readonly records: readonly UsageRecord[];
}

const NOTHING: Line = { calls: [], endsMs: [], endless: [], records: [] };

/** Finds calls and records that are near each other: they have the same capability and overlap in time. */
export class Neighbours {
  readonly #lines: ReadonlyMap<string, Line>;
  /** The cluster of each call; `undefined` if it is too large. */
  readonly #clusters = new Map<KnownCall, Cluster | undefined>();

  constructor(calls: readonly KnownCall[], records: readonly UsageRecord[]) {
    const callsOf = Map.groupBy(calls, ({ feature }) => endpointOf(feature));
    const recordsOf = Map.groupBy(records, lineOf);
    const names = new Set([...callsOf.keys(), ...recordsOf.keys()]);
    this.#lines = new Map(
      Array.from(names, (name) => [name, toLine(callsOf.get(name) ?? [], recordsOf.get(name) ?? [])]),
    );
  }

  /** Returns the calls that the record could belong to, whatever its price. */
  callsAround(record: UsageRecord): readonly KnownCall[] {
    const { calls, endsMs, endless } = this.#lines.get(lineOf(record)) ?? NOTHING;
    const isLater = ({ fromMs }: KnownCall): boolean => fromMs > record.createdAtMs;
    const around = endless.slice(0, firstIndex(endless, isLater));
    for (let index = firstIndex(calls, isLater) - 1; index >= 0; index--) {
      const call = calls[index];
      if (!call || (endsMs[index] ?? 0) < record.createdAtMs) break;
      around.push(call);
    }
    return around.filter((call) => couldBe(record, call));
  }

  /** Returns the records that could belong to the call, whatever their prices. */
  recordsAround(call: KnownCall): readonly UsageRecord[] {
    const { records } = this.#lines.get(endpointOf(call.feature)) ?? NOTHING;
    const first = firstIndex(records, ({ createdAtMs }) => createdAtMs >= call.fromMs);
    const end = firstIndex(records, ({ createdAtMs }) => createdAtMs > call.toMs);
    return records.slice(first, end).filter((record) => couldBe(record, call));
  }

  /** Returns the cluster of the call; `undefined` if it is too large or contradicts itself. */
  clusterOf(call: KnownCall): Cluster | undefined {
    if (!this.#clusters.has(call)) {
      const links = this.#linksOf(call);
      const narrowed = links.size > NEAR_MAX ? undefined : narrow(links);
      if (narrowed) this.#takeApart(narrowed);
      else for (const one of links.keys()) this.#clusters.set(one, undefined);
    }
    return this.#clusters.get(call);
  }

  #takeApart(links: Links): void {
    for (const one of links.keys()) {
      if (this.#clusters.has(one)) continue;
      const cluster = clusterIn(links, one);
      const isSmall = Math.max(cluster.calls.length, cluster.records.length) <= CLUSTER_MAX;
      // The result applies to all calls of the cluster.
      for (const member of cluster.calls) this.#clusters.set(member, isSmall ? cluster : undefined);
    }
  }

  /** Whether the record may belong to the call, judged by price and times. */
  areLinked(record: UsageRecord, call: KnownCall): boolean {
    return fits(record, call) && (this.clusterOf(call)?.links.get(call)?.has(record) ?? true);
  }

  /**
   * Returns all calls that are linked to this call by common records, directly or indirectly. Stops early if there are
   * too many.
   */
  #linksOf(call: KnownCall): Links {
    const links: Links = new Map([[call, new Set()]]);
    const known = new Set<UsageRecord>();
    // The map grows during this loop, and the loop also visits the new entries.
    for (const [one, records] of links) {
      for (const record of this.recordsAround(one)) {
        if (!fits(record, one)) continue;
        records.add(record);
        if (known.has(record)) continue;
        known.add(record);
        for (const other of this.callsAround(record)) {
          if (fits(record, other) && !links.has(other)) links.set(other, new Set());
        }
      }
      if (links.size > NEAR_MAX) break;
    }
    return links;
  }
}

/** Returns the cluster of calls and records that `links` connects to the call. */
function clusterIn(links: Links, call: KnownCall): Cluster {
  const calls = new Set([call]);
  const records = new Set<UsageRecord>();
  for (const one of calls) {
    for (const record of links.get(one) ?? []) {
      if (records.has(record)) continue;
      records.add(record);
      for (const [other, theirs] of links) if (theirs.has(record)) calls.add(other);
    }
  }
  return { calls: [...calls], records: [...records], links };
}

function toLine(calls: readonly KnownCall[], records: readonly UsageRecord[]): Line {
  const byStart = calls.toSorted((a, b) => a.fromMs - b.fromMs);
  const ended = byStart.filter(({ toMs }) => toMs !== Infinity);
  let endMs = -Infinity;
  return {
    calls: ended,
    endsMs: ended.map(({ toMs }) => (endMs = Math.max(endMs, toMs))),
    endless: byStart.filter(({ toMs }) => toMs === Infinity),
    records: records.toSorted((a, b) => a.createdAtMs - b.createdAtMs),
  };
}

const ENDPOINTS: readonly string[] = Object.values(ENDPOINT);

/** Returns the endpoint of a record or, if that endpoint is not known, the endpoint of its feature. */
function lineOf({ endpoint, feature }: UsageRecord): string {
  return ENDPOINTS.includes(endpoint) ? endpoint : endpointOf(feature);
}

function endpointOf(feature: string): string {
  return ENDPOINT[feature as PricedCapability] ?? feature;
}

/**
 * Returns the index of the first item for which `isWanted` is true. `isWanted` must be true for all later items, too.
 */
function firstIndex<T>(items: readonly T[], isWanted: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isWanted(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
