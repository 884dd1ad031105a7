import type { MicroUsd } from '../base/money.ts';
import type { UsageRecord } from '../media-api/account.ts';
import { isEnded } from '../media-api/account.ts';
import { ENDPOINT, type PricedCapability, SESSION_CAPABILITIES } from '../media-api/wire.ts';

/** A call of ours that may stand in the service's usage log. */
export interface KnownCall {
  /** Of its hold. */
  readonly subject: string;
  readonly guildId: string;
  /** Id of its job or session at the service; null when that was never confirmed. */
  readonly serviceId: string | null;
  readonly feature: string;
  /** The service may have dated its record from then to then (epoch milliseconds). */
  readonly fromMs: number;
  /** `Infinity` while it is under way. */
  readonly toMs: number;
  /** What the books say it cost; null while that is open. */
  readonly charged: MicroUsd | null;
  /** Somebody is still at work on it and will settle it. */
  readonly isUnderWay: boolean;
  /** Between what it must have cost, by what we saw of it; undefined: anything. */
  readonly bounds?: { readonly least: MicroUsd; readonly most: MicroUsd } | undefined;
}

/** Whether a record tells what its call has cost for good. */
export function isFinal(record: UsageRecord): boolean {
  if (!isEnded(record)) return false;
  // A job that succeeded has a price. A log that holds numbers only says 0 as long as billing has not come to it.
  return record.charged !== 0 || record.status === 'failed' || isSession(record);
}

/** Whether record and call are of the same capability, and the time fits. */
export function couldBe(record: UsageRecord, call: KnownCall): boolean {
  return isSameFeature(record, call) && isInTime(record, call);
}

export function isSameFeature({ feature, endpoint }: UsageRecord, call: KnownCall): boolean {
  return feature === call.feature || endpoint === ENDPOINT[call.feature as PricedCapability];
}

export function isInTime({ createdAtMs }: UsageRecord, { fromMs, toMs }: KnownCall): boolean {
  return createdAtMs >= fromMs && createdAtMs <= toMs;
}

function isSession({ feature, endpoint }: UsageRecord): boolean {
  return SESSION_CAPABILITIES.some((known) => known === feature || ENDPOINT[known] === endpoint);
}
