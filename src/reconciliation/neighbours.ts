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
  return couldBe(record, call) && (call.charged === null || call.charged === record.charged);
}

interface Line {
  /** By `fromMs`. */
  readonly calls: readonly KnownCall[];
  /** Of each call, the last end of those up to it. */
  readonly endsMs: readonly number[];
  /** By time. */
  readonly records: readonly UsageRecord[];
}

/** Finds which calls and records are near each other: of one capability, at the same time. */
export class Neighbours {
  readonly #lines: ReadonlyMap<string, Line>;

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
    const line = this.#lines.get(lineOf(record));
    if (!line) return [];
    const around: KnownCall[] = [];
    const begun = firstAfter(line.calls, ({ fromMs }) => fromMs > record.createdAtMs);
    for (let index = begun - 1; index >= 0; index--) {
      const call = line.calls[index];
      if (!call || (line.endsMs[index] ?? 0) < record.createdAtMs) break;
      if (couldBe(record, call)) around.push(call);
    }
    return around;
  }

  /** Records that could be of the call, at any price. */
  recordsAround(call: KnownCall): readonly UsageRecord[] {
    const { records } = this.#lines.get(endpointOf(call.feature)) ?? { records: [] };
    const first = firstAfter(records, ({ createdAtMs }) => createdAtMs >= call.fromMs);
    const end = firstAfter(records, ({ createdAtMs }) => createdAtMs > call.toMs);
    return records.slice(first, end).filter((record) => couldBe(record, call));
  }

  /** Everything that depends on who belongs to the call; undefined when that is too much. */
  clusterOf(first: KnownCall): Cluster | undefined {
    const calls = new Set([first]);
    const records = new Set<UsageRecord>();
    // Sets may grow while they are gone through.
    for (const call of calls) {
      for (const record of this.recordsAround(call)) {
        if (!fits(record, call) || records.has(record)) continue;
        records.add(record);
        for (const other of this.callsAround(record)) if (fits(record, other)) calls.add(other);
        if (records.size > CLUSTER_MAX || calls.size > CLUSTER_MAX) return undefined;
      }
    }
    return { calls: [...calls], records: [...records] };
  }
}

function toLine(calls: readonly KnownCall[], records: readonly UsageRecord[]): Line {
  const byStart = calls.toSorted((a, b) => a.fromMs - b.fromMs);
  let endMs = -Infinity;
  const endsMs = byStart.map(({ toMs }) => (endMs = Math.max(endMs, toMs)));
  return { calls: byStart, endsMs, records: records.toSorted((a, b) => a.createdAtMs - b.createdAtMs) };
}

const ENDPOINTS: readonly string[] = Object.values(ENDPOINT);

/** The endpoint if it is a known one; else that of the feature. */
function lineOf({ endpoint, feature }: UsageRecord): string {
  return ENDPOINTS.includes(endpoint) ? endpoint : endpointOf(feature);
}

function endpointOf(feature: string): string {
  return ENDPOINT[feature as PricedCapability] ?? feature;
}

/** Index of the first item for which `isAfter` holds; `items` must be sorted by it. */
function firstAfter<T>(items: readonly T[], isAfter: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isAfter(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
