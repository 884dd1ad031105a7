import type { UsageRecord } from '../../../media-api/account.ts';
import { type CallSpan, type KnownCall, mustHaveRecord } from './known-call.ts';

/** The records that may belong to each call. */
export type Links = Map<KnownCall, Set<UsageRecord>>;

/**
 * The most rounds. Each round applies every call's limits to every other call, so more rounds are hardly ever needed.
 */
const ROUNDS_MAX = 10;
/**
 * Tolerance in milliseconds: a service may date records only to the second, and the clocks of the service and the bot
 * drift apart.
 */
const DRIFT_MS = 2_000;

/**
 * Returns the earliest and the latest possible time of one moment of a call (its start or end), by the bot's own clock.
 */
type Moment = (span: CallSpan) => readonly [fromMs: number, byMs: number];

/** The moments of a call that a service may use to date its records, the more likely one first. */
const MOMENTS: readonly Moment[] = [
  ({ openedFromMs, openedByMs }) => [openedFromMs, openedByMs],
  ({ endedFromMs, endedByMs }) => [endedFromMs, endedByMs],
];

/**
 * Removes records that the times between calls rule out: two records are as far apart in time as their calls, even if
 * the clocks of the service and the bot differ. Returns `undefined` if, whether records are dated by the start or the
 * end of their calls, a call that must have a record would have none. In that case one of the assumptions is wrong.
 */
export function narrow(links: Links): Links | undefined {
  for (const moment of MOMENTS) {
    const narrowed: Links = new Map([...links].map(([call, records]) => [call, new Set(records)]));
    if (narrowBy(narrowed, moment)) return narrowed;
  }
  return undefined;
}

/**
 * Narrows `links` in place, assuming that `moment` dates the records. Returns false if a call that must have a record
 * loses all of its records.
 */
function narrowBy(links: Links, moment: Moment): boolean {
  const timed = [...links].flatMap(([call, records]) =>
    call.span ? { call, at: moment(call.span), records } : [],
  );
  // A call without any possible record says nothing about the others.
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

/**
 * Returns the least and the most by which the first moment can be dated later than the second. Clock drift does not
 * change the order of moments.
 */
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

/** Whether one of `others` was written between `leastMs` and `mostMs` before the record. */
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

/** Removes the records for which `isKept` is false, and returns their number. */
function keep(records: Set<UsageRecord>, isKept: (record: UsageRecord) => boolean): number {
  let gone = 0;
  for (const record of records) if (!isKept(record) && records.delete(record)) gone += 1;
  return gone;
}
