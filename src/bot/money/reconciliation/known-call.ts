import type { MicroUsd } from '../../../base/money.ts';
import type { UsageRecord } from '../../../media-api/account.ts';
import { isEnded } from '../../../media-api/account.ts';
import { ENDPOINT, type PricedCapability, SESSION_CAPABILITIES } from '../../../media-api/wire.ts';

/** One of our calls that may have a record in the service's usage log. */
export interface KnownCall {
  /** The subject of the call's hold. */
  readonly subject: string;
  readonly guildId: string;
  /** The id of the job or session at the service; null if it was never confirmed. */
  readonly serviceId: string | null;
  readonly feature: string;
  /** The earliest and the latest date that the call's record at the service may have (epoch milliseconds). */
  readonly fromMs: number;
  /** `Infinity` while the call is running. */
  readonly toMs: number;
  /** The price in the books; null while the hold is open. */
  readonly charged: MicroUsd | null;
  /** Whether a job or session that is still running will settle the call. */
  readonly isUnderWay: boolean;
  /** The bounds of the price, from the quote or from the bot's own meter; undefined if there are none. */
  readonly bounds?: { readonly least: MicroUsd; readonly most: MicroUsd } | undefined;
  /**
   * The quoted price. A record with a higher price is not booked if it was matched only because no other record fits.
   */
  readonly quoted?: MicroUsd | undefined;
  /** Whether the service must have a record of the call. Default: true if the service's id for the call is known. */
  readonly isRecorded?: boolean | undefined;
  /** For a session: when it started and ended, by the bot's own clock. */
  readonly span?: CallSpan | undefined;
}

/**
 * When a call started and ended (epoch milliseconds). Each of the two moments lies between its `From` and its `By`
 * time.
 */
export interface CallSpan {
  readonly openedFromMs: number;
  readonly openedByMs: number;
  readonly endedFromMs: number;
  readonly endedByMs: number;
}

/** Whether a complete log must contain a final record of the call. */
export function mustHaveRecord({ isUnderWay, isRecorded, serviceId }: KnownCall): boolean {
  return !isUnderWay && (isRecorded ?? serviceId !== null);
}

/**
 * Whether the record can belong to the call: it has the same capability, and its time and price are within the call's
 * bounds. The price in the books does not matter.
 */
export function couldOwn(record: UsageRecord, call: KnownCall): boolean {
  if (!couldBe(record, call)) return false;
  const { bounds } = call;
  // A job that failed costs nothing, whatever its quote was.
  if (bounds === undefined || (isFailure(record) && !isSession(record))) return true;
  return record.charged >= bounds.least && record.charged <= bounds.most;
}

/** Like `couldOwn`, but if the books have a price, the record's price must equal it. */
export function fits(record: UsageRecord, call: KnownCall): boolean {
  return call.charged === null
    ? couldOwn(record, call)
    : couldBe(record, call) && call.charged === record.charged;
}

/**
 * Whether the amount may be booked if an id proves that the record belongs to the call. An amount below the bounds may
 * be due to a refund; an amount above them is suspicious.
 */
export function isPayable(charged: MicroUsd, { bounds, quoted }: KnownCall): boolean {
  const limits = [bounds?.most, quoted].filter((limit) => limit !== undefined);
  return limits.length === 0 || charged <= Math.max(...limits);
}

function isFailure({ status, charged }: UsageRecord): boolean {
  return status === 'failed' && charged === 0;
}

/** Whether the price in a record is final. */
export function isFinal(record: UsageRecord): boolean {
  if (!isEnded(record)) return false;
  // A successful job has a price. In a log that gives prices as plain numbers, 0 only means that the job has not been
  // billed yet.
  return record.charged !== 0 || record.status === 'failed' || isSession(record);
}

/** Whether the record has the same capability as the call and lies within the call's time. */
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
