import type { MicroUsd } from '../../../base/money.ts';
import type { UsageRecord } from '../../../media-api/account.ts';
import { type KnownCall, mustHaveRecord } from './known-call.ts';
import type { Cluster } from './neighbours.ts';

/** The number of calls that can have a record each at the same time, without `leaving`. */
export function matchedMost(
  { calls, links }: Cluster,
  leaving: ReadonlySet<KnownCall | UsageRecord> = new Set(),
): number {
  const owner = new Map<UsageRecord, KnownCall>();
  const place = (call: KnownCall, tried: Set<UsageRecord>): boolean => {
    for (const record of links.get(call) ?? []) {
      if (tried.has(record) || leaving.has(record)) continue;
      tried.add(record);
      const current = owner.get(record);
      if (current && !place(current, tried)) continue;
      owner.set(record, call);
      return true;
    }
    return false;
  };
  return calls.filter((call) => !leaving.has(call) && place(call, new Set())).length;
}

/**
 * The record of a call, if only one price is possible: in every way to give as many calls as possible a record each,
 * `call` has one, and it always costs the same. `isOnly` says whether it is always the same record, too. `undefined`
 * otherwise, or if a call that must have a record would have none.
 */
export function forcedRecord(
  cluster: Cluster,
  call: KnownCall,
): { readonly record: UsageRecord; readonly isOnly: boolean } | undefined {
  const most = matchedMost(cluster);
  const recorded = cluster.calls.filter(mustHaveRecord);
  const isExplained = matchedMost({ ...cluster, calls: recorded }) === recorded.length;
  // A surplus record may belong to another user. Then it is unknown whether a call that was never confirmed has one.
  const isSurplus = call.serviceId === null && cluster.records.length > most;
  if (!isExplained || isSurplus || matchedMost(cluster, new Set([call])) === most) return undefined;
  const possible = [...(cluster.links.get(call) ?? [])].filter(
    (record) => matchedMost(cluster, new Set([call, record])) === most - 1,
  );
  const prices = new Set<MicroUsd>(possible.map(({ charged }) => charged));
  const [record] = possible;
  return record && prices.size === 1 ? { record, isOnly: possible.length === 1 } : undefined;
}
