import type { UsageRecord } from '../media-api/account.ts';
import { type CallSpan, type KnownCall, mustHaveRecord } from './known-call.ts';

/** Which records may be whose. */
export type Links = Map<KnownCall, Set<UsageRecord>>;

/** Each round passes everything that is known from every call to every other: more are hardly ever needed. */
const ROUNDS_MAX = 10;
/** A service may date to the second, and two clocks drift apart meanwhile. */
const DRIFT_MS = 2_000;

/** A moment of a call by our own clock, between two times. */
type Moment = (span: CallSpan) => readonly [fromMs: number, byMs: number];

/** By what a service may date its records, the likelier first. */
const MOMENTS: readonly Moment[] = [
  ({ openedFromMs, openedByMs }) => [openedFromMs, openedByMs],
  ({ endedFromMs, endedByMs }) => [endedFromMs, endedByMs],
];

/**
 * Leaves out what the times between calls rule out: records of two calls are as far apart as the calls are, however far
 * the service's clock is from ours. Undefined where that leaves a call that must have a record without any, whichever
 * moment of calls the records may be dated by: then something is not as it is thought to be.
 */
export function narrow(links: Links): Links | undefined {
  for (const moment of MOMENTS) {
    const narrowed: Links = new Map([...links].map(([call, records]) => [call, new Set(records)]));
    if (narrowBy(narrowed, moment)) return narrowed;
  }
  return undefined;
}

/** False when it contradicts itself. */
function narrowBy(links: Links, moment: Moment): boolean {
  const timed = [...links].flatMap(([call, records]) =>
    call.span ? { call, at: moment(call.span), records } : [],
  );
  // One of which no record is in sight says nothing about the others.
  const anchors = timed.filter(({ call, records }) => mustHaveRecord(call) && records.size > 0);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let gone = 0;
    for (const anchor of anchors) {
      for (const one of timed) {
        if (one === anchor) continue;
        const { leastMs, mostMs } = apart(one.at, anchor.at);
        gone += keep(one.records, (record) => isApart(record, anchor.records, leastMs, mostMs));
      }
    }
    if (gone === 0) break;
  }
  return anchors.every(({ records }) => records.size > 0);
}

/** How much later than one moment another one can be dated: however clocks drift, they do not change what came first. */
function apart(
  [fromMs, byMs]: ReturnType<Moment>,
  [otherFromMs, otherByMs]: ReturnType<Moment>,
): { readonly leastMs: number; readonly mostMs: number } {
  const leastMs = fromMs - otherByMs;
  const mostMs = byMs - otherFromMs;
  return {
    leastMs: leastMs > 0 ? Math.max(0, leastMs - DRIFT_MS) : leastMs - DRIFT_MS,
    mostMs: mostMs < 0 ? Math.min(0, mostMs + DRIFT_MS) : mostMs + DRIFT_MS,
  };
}

/** Whether another one of `others` lies that much before the record. */
function isApart(
  record: UsageRecord,
  others: ReadonlySet<UsageRecord>,
  leastMs: number,
  mostMs: number,
): boolean {
  for (const other of others) {
    const apartMs = record.createdAtMs - other.createdAtMs;
    if (other !== record && apartMs >= leastMs && apartMs <= mostMs) return true;
  }
  return false;
}

/** Returns how many went. */
function keep(records: Set<UsageRecord>, isKept: (record: UsageRecord) => boolean): number {
  let gone = 0;
  for (const record of records) if (!isKept(record) && records.delete(record)) gone += 1;
  return gone;
}
