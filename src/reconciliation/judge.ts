import { type MicroUsd, ZERO } from '../base/money.ts';
import type { UsageRecord } from '../media-api/account.ts';
import type { UsageWindow } from '../media-api/usage-dialects.ts';
import { forcedRecord, matchedMost } from './assignment.ts';
import { type IdRelation, isOfSomeOnly, pairById, relateIds } from './id-relation.ts';
import { type KnownCall, isFinal } from './known-call.ts';
import { Neighbours, fits } from './neighbours.ts';

/** What is known of a time: our calls, and what the service's log says of it. */
export interface Evidence {
  /** All that may have a record in `records`. */
  readonly calls: readonly KnownCall[];
  readonly records: readonly UsageRecord[];
  readonly window: UsageWindow;
  /** Whether `calls` and `records` are all there are. */
  readonly complete: boolean;
  readonly ids: IdRelation;
  readonly nowMs: number;
}

/** A call of ours and what the service's log says that it cost. */
export interface Finding {
  readonly call: KnownCall;
  readonly recordId: string;
  readonly charged: MicroUsd;
}

export interface Verdicts {
  readonly ids: IdRelation;
  /** Prices of calls that are open in the books. */
  readonly settled: readonly Finding[];
  /** Calls that cost something else in the books. */
  readonly differing: readonly Finding[];
  /** Open calls that left no trace in a log that would show it: they were never made. */
  readonly absent: readonly KnownCall[];
  /** Final records that are nobody's of ours. */
  readonly foreign: readonly UsageRecord[];
  /** Records that are proven to be ours. */
  readonly oursIds: ReadonlySet<string>;
  /** Records that nothing can be said about yet. */
  readonly undecided: readonly UsageRecord[];
}

/** A log may be that much behind. */
const LAG_MS = 3_600_000;

/** Says what the service's usage log proves about our calls, and which of its records are not ours. Pure. */
export function judge(evidence: Evidence): Verdicts {
  const { calls, records } = evidence;
  const pairs = pairById(calls, records);
  const isToBeSeen = isDue(evidence);
  const expected = calls.filter((call) => call.serviceId !== null && isToBeSeen(call)).length;
  const related = relateIds(evidence.ids, pairs, evidence.complete ? expected : 0);
  const ids =
    related === 'equal' && isOfSomeOnly(pairs, evidence.complete ? calls.filter(isToBeSeen) : [])
      ? 'unproven'
      : related;
  const proven = ids === 'equal' ? pairs : [];
  const oursIds = new Set(proven.map(({ record }) => record.id));
  const byId = proven
    .filter(({ record, call }) => isFinal(record) && !call.isUnderWay && record.charged !== call.charged)
    .map(({ record, call }) => ({ call, recordId: record.id, charged: record.charged }));
  const open = new Set(ids === 'equal' ? calls.filter(({ serviceId }) => serviceId === null) : calls);
  // Not believed in yet is not the same as chance.
  const sameId = new Map(ids === 'unproven' ? pairs.map(({ record, call }) => [record.id, call]) : []);
  const others = judgeRest(
    evidence,
    [...open],
    records.filter(({ id }) => !oursIds.has(id)),
    { ids, sameId },
  );
  const seen = new Set(proven.map(({ call }) => call));
  const missing = calls.filter((call) => evidence.complete && !open.has(call) && !seen.has(call));
  return {
    ids,
    settled: [...byId.filter(({ call }) => call.charged === null), ...others.settled],
    differing: byId.filter(({ call }) => call.charged !== null),
    absent: [...others.absent, ...missing.filter((call) => mayBeFree(call) && isToBeSeen(call))],
    foreign: others.foreign,
    oursIds: new Set([...oursIds, ...others.ours]),
    undecided: others.undecided,
  };
}

interface Rest {
  readonly settled: readonly Finding[];
  readonly absent: readonly KnownCall[];
  readonly foreign: readonly UsageRecord[];
  readonly ours: readonly string[];
  readonly undecided: readonly UsageRecord[];
}

/** What capability, time and price say, where ids say nothing. */
function judgeRest(
  evidence: Evidence,
  calls: readonly KnownCall[],
  records: readonly UsageRecord[],
  { ids, sameId }: { readonly ids: IdRelation; readonly sameId: ReadonlyMap<string, KnownCall> },
): Rest {
  const near = new Neighbours(calls, records.filter(isFinal));
  const all = new Neighbours(calls, records);
  // Only who sees everything can say that something belongs to nobody else.
  const isSure = evidence.complete;
  const isToBeSeen = isDue(evidence);
  const named = new Set(sameId.values());
  const settled = (isSure ? calls.filter(isOpen) : [])
    .flatMap((call) => settle(near, call))
    // One of whose id there is a record has no other one.
    .filter(({ call, recordId }) => sameId.get(recordId) === (named.has(call) ? call : undefined));
  const absent = isSure
    ? calls.filter((call) => mayBeFree(call) && isToBeSeen(call) && all.recordsAround(call).length === 0)
    : [];
  const foreign: UsageRecord[] = [];
  const ours: string[] = settled.map(({ recordId }) => recordId);
  const undecided: UsageRecord[] = [];
  for (const record of records) {
    const around = near.callsAround(record);
    const isAlone = around.length === 0 && (isSure || ids === 'equal');
    const isNobodys = (isAlone || (isSure && isSurplus(near, record, around))) && !sameId.has(record.id);
    if (isFinal(record) && isNobodys) foreign.push(record);
    else if (isSure && isFinal(record) && isTaken(near, record, around)) ours.push(record.id);
    else undecided.push(record);
  }
  return { settled, absent, foreign, ours, undecided };
}

function settle(near: Neighbours, call: KnownCall): readonly Finding[] {
  const cluster = near.clusterOf(call);
  const record = cluster && forcedRecord(cluster, call);
  if (!record || !near.callsAround(record).every((other) => fits(record, other) || hasOwn(near, other))) {
    return [];
  }
  return [{ call, recordId: record.id, charged: record.charged }];
}

/** Nobody's price fits, and everybody around has another record. */
function isSurplus(near: Neighbours, record: UsageRecord, around: readonly KnownCall[]): boolean {
  return around.every((call) => !fits(record, call) && hasOwn(near, call));
}

/** There is a record for the call that fits: another one is not its own at a price that the books do not know. */
function hasOwn(near: Neighbours, call: KnownCall): boolean {
  const cluster = near.clusterOf(call);
  return cluster !== undefined && matchedMost(cluster) === cluster.calls.length;
}

/** However records are given to calls that fit, this one is not left over. */
function isTaken(near: Neighbours, record: UsageRecord, around: readonly KnownCall[]): boolean {
  const fitting = around.find((call) => fits(record, call));
  const cluster = fitting && near.clusterOf(fitting);
  if (!cluster || cluster.calls.some(({ isUnderWay }) => isUnderWay)) return false;
  return matchedMost(cluster) === cluster.records.length;
}

function isOpen({ charged, isUnderWay }: KnownCall): boolean {
  return charged === null && !isUnderWay;
}

/** One that is known to have run for a while cannot be without a record: somebody has to see where it is. */
function mayBeFree(call: KnownCall): boolean {
  return isOpen(call) && (call.bounds?.least ?? ZERO) === ZERO;
}

/** The call was within the window, so long ago that its record must be there. */
function isDue({ window, nowMs }: Evidence): (call: KnownCall) => boolean {
  return ({ fromMs, toMs }) => fromMs >= window.fromMs && toMs < Math.min(window.toMs, nowMs - LAG_MS);
}
