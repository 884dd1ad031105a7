import type { UsageRecord } from '../media-api/account.ts';
import { ENDPOINT, type PricedCapability } from '../media-api/wire.ts';
import { type KnownCall, couldBe } from './known-call.ts';

/** Calls and records of which any may belong to any other, by way of what fits it, and to nobody else. */
export interface Cluster {
  readonly calls: readonly KnownCall[];
  readonly records: readonly UsageRecord[];
}

/** More calls or records than that in one cluster are not taken apart. */
const CLUSTER_MAX = 24;

/** Whether the record can be the call's, its price included. */
export function fits(record: UsageRecord, call: KnownCall): boolean {
  const { charged, bounds } = call;
  const isPossible = !bounds || (record.charged >= bounds.least && record.charged <= bounds.most);
  return couldBe(record, call) && (charged === null ? isPossible : charged === record.charged);
}

interface Line {
  /** Calls that have ended, by `fromMs`. */
  readonly calls: readonly KnownCall[];
  /** Of each of them, the last end of those up to it. */
  readonly endsMs: readonly number[];
  /** Calls under way, by `fromMs`. */
  readonly endless: readonly KnownCall[];
  /** By time. */
  readonly records: readonly UsageRecord[];
}

const NOTHING: Line = { calls: [], endsMs: [], endless: [], records: [] };

/** Finds which calls and records are near each other: of one capability, at the same time. */
export class Neighbours {
  readonly #lines: ReadonlyMap<string, Line>;
  /** What was found of each call; undefined where it is too much. */
  readonly #clusters = new Map<KnownCall, Cluster | undefined>();

  constructor(calls: readonly KnownCall[], records: readonly UsageRecord[]) {
    const callsOf = Map.groupBy(calls, ({ feature }) => endpointOf(feature));
    const recordsOf = Map.groupBy(records, lineOf);
    const names = new Set([...callsOf.keys(), ...recordsOf.keys()]);
    this.#lines = new Map(
      Array.from(names, (name) => [name, toLine(callsOf.get(name) ?? [], recordsOf.get(name) ?? [])]),
    );
  }

  /** Calls that the record could be of, at any price. */
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

  /** Records that could be of the call, at any price. */
  recordsAround(call: KnownCall): readonly UsageRecord[] {
    const { records } = this.#lines.get(endpointOf(call.feature)) ?? NOTHING;
    const first = firstIndex(records, ({ createdAtMs }) => createdAtMs >= call.fromMs);
    const end = firstIndex(records, ({ createdAtMs }) => createdAtMs > call.toMs);
    return records.slice(first, end).filter((record) => couldBe(record, call));
  }

  /** Everything that depends on who belongs to the call; undefined when that is too much. */
  clusterOf(call: KnownCall): Cluster | undefined {
    if (this.#clusters.has(call)) return this.#clusters.get(call);
    const calls = new Set([call]);
    const records = new Set<UsageRecord>();
    const isWhole = this.#grow(calls, records);
    const cluster = isWhole ? { calls: [...calls], records: [...records] } : undefined;
    // All of one cluster have the same.
    for (const one of calls) this.#clusters.set(one, cluster);
    return cluster;
  }

  /** False when there is more than can be taken apart. */
  #grow(calls: Set<KnownCall>, records: Set<UsageRecord>): boolean {
    // Sets may grow while they are gone through.
    for (const call of calls) {
      for (const record of this.recordsAround(call)) {
        if (!fits(record, call) || records.has(record)) continue;
        records.add(record);
        for (const other of this.callsAround(record)) if (fits(record, other)) calls.add(other);
        if (records.size > CLUSTER_MAX || calls.size > CLUSTER_MAX) return false;
      }
    }
    return true;
  }
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

/** The endpoint if it is a known one; else that of the feature. */
function lineOf({ endpoint, feature }: UsageRecord): string {
  return ENDPOINTS.includes(endpoint) ? endpoint : endpointOf(feature);
}

function endpointOf(feature: string): string {
  return ENDPOINT[feature as PricedCapability] ?? feature;
}

/** Index of the first item for which `isWanted` holds, as it does for all behind it. */
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
