import type { MicroUsd } from '../../../base/money.ts';
import type { UsageRecord } from '../../../media-api/account.ts';
import { type KnownCall, mustHaveRecord } from './known-call.ts';
import type { Cluster } from './neighbours.ts';

/**
 * Returns the highest number of calls that can each have a record of their own at the same time. The calls and records
 * in `leaving` are left out.
 */
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
 * Returns the record of a call if only one price is possible for it: in every assignment that gives a record to as many
 * calls as possible, `call` has a record, and its price is always the same. `isOnly` says whether it is also always the
 * same record. Otherwise returns `undefined`, as it does if a call that must have a record would have none.
 */
export function forcedRecord(
  cluster: Cluster,
  call: KnownCall,
): { readonly record: UsageRecord; readonly isOnly: boolean } | undefined {
  const most = matchedMost(cluster);
  const recorded = cluster.calls.filter(mustHaveRecord);
  const isExplained = matchedMost({ ...cluster, calls: recorded }) === recorded.length;
  // A surplus record may belong to another user. In that case it is unknown whether a call that was never confirmed has
  // a record.
  const isSurplus = call.serviceId === null && cluster.records.length > most;
  if (!isExplained || isSurplus || matchedMost(cluster, new Set([call])) === most) return undefined;
  const possible = [...(cluster.links.get(call) ?? [])].filter(
    (record) => matchedMost(cluster, new Set([call, record])) === most - 1,
  );
  const prices = new Set<MicroUsd>(possible.map(({ charged }) => charged));
  const [record] = possible;
  return record && prices.size === 1 ? { record, isOnly: possible.length === 1 } : undefined;
}
