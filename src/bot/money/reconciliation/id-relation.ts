import type { UsageRecord } from '../../../media-api/account.ts';
import { SESSION_CAPABILITIES } from '../../../media-api/wire.ts';
import { type KnownCall, isFinal, isInTime, isPayable, isSameFeature } from './known-call.ts';

/** Whether the ids in the usage log are the ids of jobs and sessions. The API documentation does not say. */
export type IdRelation = 'equal' | 'different' | 'unproven';

export interface IdPair {
  readonly record: UsageRecord;
  readonly call: KnownCall;
}

/**
 * At least this many calls found by id are needed to prove that ids are equal, and at least this many missing calls to
 * prove that they are different.
 */
const PROOFS_MIN = 3;
const DAY_MS = 86_400_000;

/** Pairs calls and records with the same id, whether or not equal ids are known to mean anything. */
export function pairById(calls: readonly KnownCall[], records: readonly UsageRecord[]): readonly IdPair[] {
  const byId = new Map(calls.map((call) => [call.serviceId, call]));
  return records.flatMap((record) => {
    const call = byId.get(record.id);
    return call ? [{ record, call }] : [];
  });
}

/**
 * Returns what the pairs prove, given what was known before. `expected` is the number of calls that would be found
 * among the records if ids were equal.
 */
export function relateIds(before: IdRelation, pairs: readonly IdPair[], expected: number): IdRelation {
  if (pairs.some((pair) => !isPlausible(pair))) return 'different';
  const doubts = pairs.filter((pair) => disagree(pair) || !isInTime(pair.record, pair.call)).length;
  const proofs = pairs.length - doubts;
  if (proofs >= PROOFS_MIN && proofs > 3 * doubts) return 'equal';
  if (pairs.length > 0 || expected < PROOFS_MIN) return before;
  // The log may be late, so missing records do not refute an earlier proof.
  return before === 'equal' ? 'unproven' : 'different';
}

/**
 * Whether only job ids match and session ids are missing, or the reverse. `due` contains the calls that would be found
 * among the records if ids were equal.
 */
export function isOfSomeOnly(pairs: readonly IdPair[], due: readonly KnownCall[]): boolean {
  return [true, false].some((kind) => {
    const expected = due.filter((call) => call.serviceId !== null && isSessionCall(call) === kind);
    return expected.length >= PROOFS_MIN && pairs.every(({ call }) => isSessionCall(call) !== kind);
  });
}

function isSessionCall({ feature }: KnownCall): boolean {
  return SESSION_CAPABILITIES.some((known) => known === feature);
}

/**
 * Whether the record's capability and day fit the call. Two independent counters may produce the same id by chance, but
 * hardly ever for the same kind of call on the same day.
 */
function isPlausible({ record, call }: IdPair): boolean {
  const { createdAtMs } = record;
  return (
    isSameFeature(record, call) && createdAtMs >= call.fromMs - DAY_MS && createdAtMs <= call.toMs + DAY_MS
  );
}

/**
 * Whether a record with the call's id can belong to the call: either the books have the same price, or the record was
 * written during the call at a price that the call can have.
 */
export function isOwn({ record, call }: IdPair): boolean {
  return call.charged === record.charged || (isInTime(record, call) && isPayable(record.charged, call));
}

function disagree({ record, call }: IdPair): boolean {
  return isFinal(record) && call.charged !== null && call.charged !== record.charged;
}
