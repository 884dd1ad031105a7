import type { UsageRecord } from '../media-api/account.ts';
import { type KnownCall, isBefore, mustHaveRecord } from './known-call.ts';

/** Which records may be whose. */
export type Links = Map<KnownCall, Set<UsageRecord>>;

/** Each round passes everything that is known along all calls in both directions: more are hardly ever needed. */
const ROUNDS_MAX = 10;

/**
 * Leaves out what the order of calls rules out: of two calls, one of which began and ended before the other did, the
 * earlier one has a record that is no later. False when that leaves a call that must have a record without any: then
 * something is not as it is thought to be.
 */
export function narrow(links: Links): boolean {
  const calls = [...links.keys()]
    .filter(({ span }) => span !== undefined)
    .toSorted((a, b) => (a.span?.openedByMs ?? 0) - (b.span?.openedByMs ?? 0));
  // One of which no record is in sight says nothing about the others.
  const anchors = new Set(calls.filter((call) => mustHaveRecord(call) && of(links, call).size > 0));
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let changes = 0;
    for (const call of calls) {
      for (const anchor of anchors) {
        if (isBefore(anchor, call)) changes += keepAfter(of(links, call), of(links, anchor));
      }
    }
    for (const call of calls.toReversed()) {
      for (const anchor of anchors) {
        if (isBefore(call, anchor)) changes += keepBefore(of(links, call), of(links, anchor));
      }
    }
    if (changes === 0) break;
  }
  return [...anchors].every((call) => of(links, call).size > 0);
}

function of(links: Links, call: KnownCall): Set<UsageRecord> {
  return links.get(call) ?? new Set();
}

/** Leaves the records that another one of `earlier` is no later than; returns how many went. */
function keepAfter(records: Set<UsageRecord>, earlier: ReadonlySet<UsageRecord>): number {
  const [first, second] = firstTwo(earlier, ({ createdAtMs }) => createdAtMs);
  return keep(records, (record) => {
    const other = record === first ? second : first;
    return other !== undefined && other.createdAtMs <= record.createdAtMs;
  });
}

/** Leaves the records that another one of `later` is no earlier than; returns how many went. */
function keepBefore(records: Set<UsageRecord>, later: ReadonlySet<UsageRecord>): number {
  const [last, secondLast] = firstTwo(later, ({ createdAtMs }) => -createdAtMs);
  return keep(records, (record) => {
    const other = record === last ? secondLast : last;
    return other !== undefined && other.createdAtMs >= record.createdAtMs;
  });
}

function keep(records: Set<UsageRecord>, isKept: (record: UsageRecord) => boolean): number {
  let gone = 0;
  for (const record of records) if (!isKept(record) && records.delete(record)) gone += 1;
  return gone;
}

function firstTwo(
  records: ReadonlySet<UsageRecord>,
  rank: (record: UsageRecord) => number,
): readonly [UsageRecord | undefined, UsageRecord | undefined] {
  let [first, second]: [UsageRecord | undefined, UsageRecord | undefined] = [undefined, undefined];
  for (const record of records) {
    if (first === undefined || rank(record) < rank(first)) [first, second] = [record, first];
    else if (second === undefined || rank(record) < rank(second)) second = record;
  }
  return [first, second];
}
