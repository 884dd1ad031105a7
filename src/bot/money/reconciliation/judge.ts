import { type MicroUsd, ZERO } from '../../../base/money.ts';
import type { UsageRecord } from '../../../media-api/account.ts';
import type { UsageWindow } from '../../../media-api/usage-dialects.ts';
import { forcedRecord, matchedMost } from './forced-record.ts';
import { type IdPair, type IdRelation, isOfSomeOnly, isOwn, pairById, relateIds } from './id-relation.ts';
import { type KnownCall, couldOwn, isFinal, isPayable, mustHaveRecord } from './known-call.ts';
import { Neighbours } from './neighbours.ts';

/** The known facts about a time span: our calls, and the records in the service's log. */
export interface Evidence {
  /** All calls that may have a record in `records`. */
  readonly calls: readonly KnownCall[];
  readonly records: readonly UsageRecord[];
  readonly window: UsageWindow;
  /** Whether `calls` and `records` are complete. */
  readonly complete: boolean;
  readonly ids: IdRelation;
  readonly nowMs: number;
  /**
   * Earlier decisions, by record id: the subject of our call, or null for another user's call. Default: no decisions.
   */
  readonly decided?: ReadonlyMap<string, string | null>;
}

/** One of our calls, and its price in the service's log. */
export interface Finding {
  readonly call: KnownCall;
  readonly recordId: string;
  readonly charged: MicroUsd;
}

/** A finding that follows only from time and price, not from an id. */
interface Inference extends Finding {
  /**
   * Whether only this record can belong to the call. Several records with the same price prove the price, but not which
   * record belongs to which call.
   */
  readonly isOnly: boolean;
}

/** A call, and a record that may belong to it. */
export interface Suggestion {
  readonly call: KnownCall;
  readonly record: UsageRecord;
}

export interface Verdicts {
  readonly ids: IdRelation;
  /** Prices of calls that are open in the books, proven by an id or a decision. */
  readonly settled: readonly Finding[];
  /** Prices of calls that are open in the books, inferred because no other record can belong to these calls. */
  readonly inferred: readonly Inference[];
  /**
   * The decisions that the operator must make: each consists of a call that is open in the books and the records that
   * may belong to it.
   */
  readonly suggested: readonly Suggestion[];
  /** Calls whose price in the books differs from the one in the log. */
  readonly differing: readonly Finding[];
  /** Open calls that are missing from a complete log and may have cost nothing, so they count as free. */
  readonly absent: readonly KnownCall[];
  /** Final records that belong to none of our calls. */
  readonly foreign: readonly UsageRecord[];
  /** Records that are proven to be ours. */
  readonly oursIds: ReadonlySet<string>;
  /** Records that cannot be judged yet. */
  readonly undecided: readonly UsageRecord[];
}

/** The longest time until a call appears in the log. */
const LAG_MS = 3_600_000;

/** The most records suggested for one call. More would not help the operator to decide. */
const SUGGESTED_MAX = 5;

/**
 * Decides what the service's usage log proves about our calls, and which of its records are not ours. A record outside
 * a call's time or price bounds never counts as that call's record, whatever its id. The function is pure.
 */
export function judge(evidence: Evidence): Verdicts {
  const { calls, records, decided = new Map<string, string | null>() } = evidence;
  const ids = relationOf(evidence);
  const bySubject = new Map(calls.map((call) => [call.subject, call]));
  const byDecision = records.flatMap((record) => pairOf(record, bySubject.get(decided.get(record.id) ?? '')));
  const settledCalls = new Set(byDecision.map(({ call }) => call));
  const named = pairById(calls, records).filter(
    ({ record, call }) => !decided.has(record.id) && !settledCalls.has(call),
  );
  const byId = ids === 'equal' ? named : [];
  const proven = [...byDecision, ...byId.filter(isOwn)];
  const suspect = byId.filter((pair) => !isOwn(pair));
  const known = proven.filter(({ record, call }) => isNews(record, call) && isPayable(record.charged, call));
  const findings = known.map(({ record, call }) => ({ call, recordId: record.id, charged: record.charged }));
  const taken = new Set([...byDecision, ...byId].map(({ record }) => record.id));
  const others = calls.filter(
    (call) => !settledCalls.has(call) && (ids !== 'equal' || call.serviceId === null),
  );
  const rest = judgeRest(
    evidence,
    others,
    records.filter(({ id }) => !taken.has(id) && !decided.has(id)),
    // While it is unproven whether ids are equal, a matching id proves nothing, but it need not be a coincidence
    // either.
    { ids, sameId: new Map(ids === 'unproven' ? named.map(({ record, call }) => [record.id, call]) : []) },
  );
  const seen = new Set([...settledCalls, ...byId.map(({ call }) => call), ...others]);
  const missing = evidence.complete ? calls.filter((call) => !seen.has(call)) : [];
  const isToBeSeen = isDue(evidence);
  return {
    ids,
    settled: findings.filter(({ call }) => call.charged === null),
    inferred: rest.inferred,
    differing: findings.filter(({ call }) => call.charged !== null),
    suggested: [...suspect.filter(({ call, record }) => isOpen(call) && isFinal(record)), ...rest.suggested],
    absent: [...rest.absent, ...missing.filter((call) => mayBeFree(call) && isToBeSeen(call))],
    foreign: [
      ...records.filter((record) => isFinal(record) && decided.get(record.id) === null),
      ...rest.foreign,
    ],
    oursIds: new Set([...proven.map(({ record }) => record.id), ...rest.ours]),
    undecided: [...suspect.map(({ record }) => record), ...rest.undecided],
  };
}

function relationOf(evidence: Evidence): IdRelation {
  const { calls, records, complete } = evidence;
  const pairs = pairById(calls, records);
  const due = complete ? calls.filter(isDue(evidence)) : [];
  const expected = due.filter(({ serviceId }) => serviceId !== null).length;
  const related = relateIds(evidence.ids, pairs, expected);
  return related === 'equal' && isOfSomeOnly(pairs, due) ? 'unproven' : related;
}

function pairOf(record: UsageRecord, call: KnownCall | undefined): readonly IdPair[] {
  return call ? [{ record, call }] : [];
}

/** Whether the record shows a final price that the books do not have. */
function isNews(record: UsageRecord, call: KnownCall): boolean {
  return isFinal(record) && !call.isUnderWay && record.charged !== call.charged;
}

interface Rest {
  readonly inferred: readonly Inference[];
  readonly suggested: readonly Suggestion[];
  readonly absent: readonly KnownCall[];
  readonly foreign: readonly UsageRecord[];
  readonly ours: readonly string[];
  readonly undecided: readonly UsageRecord[];
}

/** Matches the remaining calls and records by capability, time and price. */
function judgeRest(
  evidence: Evidence,
  calls: readonly KnownCall[],
  records: readonly UsageRecord[],
  { ids, sameId }: { readonly ids: IdRelation; readonly sameId: ReadonlyMap<string, KnownCall> },
): Rest {
  const near = new Neighbours(calls, records.filter(isFinal));
  const all = new Neighbours(calls, records);
  // Only complete data can prove that no other call owns a record.
  const isSure = evidence.complete;
  const isToBeSeen = isDue(evidence);
  const named = new Set(sameId.values());
  /**
   * Whether a record may be inferred for the call. A call that was never confirmed may not have been made, so a record
   * near it in time may belong to another user.
   */
  const mayInfer = (call: KnownCall): boolean => isSure && isOpen(call) && call.serviceId !== null;
  const inferred = calls
    .filter((call) => mayInfer(call) && !mayStillEnd(all, call))
    .flatMap((call) => settle(near, call))
    // A call whose own id is on a record has no other record.
    .filter(({ call, recordId }) => sameId.get(recordId) === (named.has(call) ? call : undefined));
  // A record with the call's id may belong to the call even if the amount or the time is unusual, so the call does not
  // count as absent.
  const mayBeAbsent = (call: KnownCall): boolean => mayBeFree(call) && isToBeSeen(call) && !named.has(call);
  const absent = isSure ? calls.filter((call) => mayBeAbsent(call) && !mayHaveRecord(all, call)) : [];
  const foreign: UsageRecord[] = [];
  const ours = new Set(inferred.map(({ recordId }) => recordId));
  const undecided: UsageRecord[] = [];
  for (const record of records) {
    const owners = near.callsAround(record).filter((call) => couldOwn(record, call));
    const isAlone = owners.length === 0 && (isSure || ids === 'equal');
    const isNobodys = (isAlone || (isSure && isSurplus(near, record, owners))) && !sameId.has(record.id);
    if (isFinal(record) && isNobodys) foreign.push(record);
    else if (isSure && isFinal(record) && isTaken(near, record, owners)) ours.add(record.id);
    else if (!ours.has(record.id)) undecided.push(record);
  }
  const settled = new Set(inferred.map(({ call }) => call));
  const decided = new Set([...foreign.map(({ id }) => id), ...inferred.map(({ recordId }) => recordId)]);
  const suggested = calls
    .filter((call) => isOpen(call) && !settled.has(call))
    .flatMap((call) => suggestionsFor(call, near, decided));
  return { inferred, suggested, absent, foreign, ours: [...ours], undecided };
}

function settle(near: Neighbours, call: KnownCall): readonly Inference[] {
  const cluster = near.clusterOf(call);
  const forced = cluster && forcedRecord(cluster, call);
  if (!forced) return [];
  const { record, isOnly } = forced;
  if (record.charged > (call.quoted ?? Infinity)) return [];
  const others = near.callsAround(record).filter((other) => couldOwn(record, other));
  if (!others.every((other) => near.areLinked(record, other) || hasOwn(near, other))) return [];
  return [{ call, recordId: record.id, charged: record.charged, isOnly }];
}

function suggestionsFor(
  call: KnownCall,
  near: Neighbours,
  decided: ReadonlySet<string>,
): readonly Suggestion[] {
  return near
    .recordsAround(call)
    .filter((record) => !decided.has(record.id) && near.areLinked(record, call))
    .slice(0, SUGGESTED_MAX)
    .map((record) => ({ call, record }));
}

/**
 * Whether a record that is not final may belong to the call, because there are more records that are not final than
 * running calls.
 */
function mayStillEnd(all: Neighbours, call: KnownCall): boolean {
  const running = all.recordsAround(call).filter((record) => !isFinal(record));
  return running.some((record) => {
    const goingOn = all.callsAround(record).filter(({ isUnderWay }) => isUnderWay);
    return goingOn.length < running.length;
  });
}

function mayHaveRecord(all: Neighbours, call: KnownCall): boolean {
  return all.recordsAround(call).some((record) => !isFinal(record) || couldOwn(record, call));
}

/** Whether the price of the record fits no call, and every call that could own the record has another record. */
function isSurplus(near: Neighbours, record: UsageRecord, owners: readonly KnownCall[]): boolean {
  return owners.every((call) => !near.areLinked(record, call) && hasOwn(near, call));
}

/**
 * Whether each call linked with this call has a fitting record of its own. If so, any further record belongs to another
 * user.
 */
function hasOwn(near: Neighbours, call: KnownCall): boolean {
  const cluster = near.clusterOf(call);
  return cluster !== undefined && matchedMost(cluster) === cluster.calls.length;
}

/** Whether this record belongs to one of our calls in every assignment of records to fitting calls. */
function isTaken(near: Neighbours, record: UsageRecord, owners: readonly KnownCall[]): boolean {
  const fitting = owners.find((call) => near.areLinked(record, call));
  const cluster = fitting && near.clusterOf(fitting);
  // An unconfirmed call may never have been made.
  if (!cluster?.calls.every((call) => mustHaveRecord(call) || call.charged !== null)) return false;
  return matchedMost(cluster) === cluster.records.length;
}

function isOpen({ charged, isUnderWay }: KnownCall): boolean {
  return charged === null && !isUnderWay;
}

/**
 * Whether the call may have cost nothing. A call that certainly ran must have a record; if the record is missing, the
 * operator must find it.
 */
function mayBeFree(call: KnownCall): boolean {
  // The lower bound is the price of a successful job, or the amount that a session's meter shows.
  return isOpen(call) && (call.span === undefined || (call.bounds?.least ?? ZERO) === ZERO);
}

/**
 * Returns a function that says whether a call was within the window, and ended long enough ago that its record must
 * exist.
 */
function isDue({ window, nowMs }: Pick<Evidence, 'window' | 'nowMs'>): (call: KnownCall) => boolean {
  return ({ fromMs, toMs }) => fromMs >= window.fromMs && toMs < Math.min(window.toMs, nowMs - LAG_MS);
}
