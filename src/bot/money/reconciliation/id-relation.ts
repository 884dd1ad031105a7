import type { UsageRecord } from '../../../media-api/account.ts';
import { SESSION_CAPABILITIES } from '../../../media-api/wire.ts';
import { type KnownCall, isFinal, isInTime, isPayable, isSameFeature } from './known-call.ts';

/** Whether ids in the usage log are those of jobs and sessions. The API document does not say. */
export type IdRelation = 'equal' | 'different' | 'unproven';

export interface IdPair {
  readonly record: UsageRecord;
  readonly call: KnownCall;
}

/** The number of calls that must agree before ids are trusted, and that must be missing before they are not. */
const PROOFS_MIN = 3;
const DAY_MS = 86_400_000;

/** Pairs of a call and a record with the same id, before it is known whether ids are equal. */
export function pairById(calls: readonly KnownCall[], records: readonly UsageRecord[]): readonly IdPair[] {
  const byId = new Map(calls.map((call) => [call.serviceId, call]));
  return records.flatMap((record) => {
    const call = byId.get(record.id);
    return call ? [{ record, call }] : [];
  });
}

/**
 * What the pairs prove, in addition to what was known. `expected` is the number of calls that would be among the
 * records if ids were equal.
 */
export function relateIds(before: IdRelation, pairs: readonly IdPair[], expected: number): IdRelation {
  if (pairs.some((pair) => !isPlausible(pair))) return 'different';
  const doubts = pairs.filter((pair) => disagree(pair) || !isInTime(pair.record, pair.call)).length;
  const proofs = pairs.length - doubts;
  if (proofs >= PROOFS_MIN && proofs > 3 * doubts) return 'equal';
  if (pairs.length > 0 || expected < PROOFS_MIN) return before;
  // A late log does not disprove an earlier proof.
  return before === 'equal' ? 'unproven' : 'different';
}

/**
 * Whether the ids of jobs are proven and those of sessions are missing, or the other way round. `due` holds the calls
 * that would be among the records.
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

/** The counters of two services may reach the same number, but not for the same thing on the same day. */
function isPlausible({ record, call }: IdPair): boolean {
  const { createdAtMs } = record;
  return (
    isSameFeature(record, call) && createdAtMs >= call.fromMs - DAY_MS && createdAtMs <= call.toMs + DAY_MS
  );
}

/**
 * Whether a record with the call's id can belong to the call: it was written during the call, at a price that the call
 * can have.
 */
export function isOwn({ record, call }: IdPair): boolean {
  return call.charged === record.charged || (isInTime(record, call) && isPayable(record.charged, call));
}

function disagree({ record, call }: IdPair): boolean {
  return isFinal(record) && call.charged !== null && call.charged !== record.charged;
}
