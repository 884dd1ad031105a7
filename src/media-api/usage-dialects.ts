import { type Account, USAGE_LIMIT_MAX, type UsageQuery, type UsageRecord, isEnded } from './account.ts';
import { MediaApiRefusal } from './errors.ts';
import type { CallOptions } from './transport.ts';

/** A half-open range in epoch milliseconds. */
export interface UsageWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A notation for a window's bounds, and the finest step that it can express. */
export interface UsageDialect {
  readonly name: string;
  readonly write: (ms: number) => string;
  readonly stepMs: number;
}

/** Facts that were detected about a service's usage log. They are JSON, so that they can be kept across restarts. */
export interface UsageHabits {
  /** The name of one of `USAGE_DIALECTS`. */
  readonly dialect: string;
  /** The maximum number of records that the service returns in one answer. */
  readonly pageMax: number;
}

const DAY_MS = 86_400_000;

/**
 * The API documentation does not specify the notation of `from` and `to`, so these notations are tried, the most likely
 * one first.
 */
export const USAGE_DIALECTS: readonly UsageDialect[] = [
  { name: 'iso', write: (ms) => new Date(ms).toISOString(), stepMs: 1 },
  { name: 'seconds', write: (ms) => String(ms / 1000), stepMs: 1000 },
  { name: 'milliseconds', write: (ms) => String(ms), stepMs: 1 },
  { name: 'date', write: (ms) => new Date(ms).toISOString().slice(0, 10), stepMs: DAY_MS },
];

/** Widens the window to whole multiples of `stepMs`. */
export function widen({ fromMs, toMs }: UsageWindow, stepMs: number): UsageWindow {
  return { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs };
}

export function isWithin({ fromMs, toMs }: UsageWindow, { createdAtMs }: UsageRecord): boolean {
  return createdAtMs >= fromMs && createdAtMs < toMs;
}

/**
 * Whether the record is in the window. The documentation defines the window as half-open, but a service that includes
 * the end is also accepted.
 */
export function keepsTo({ fromMs, toMs }: UsageWindow, { createdAtMs }: UsageRecord): boolean {
  return createdAtMs >= fromMs && createdAtMs <= toMs;
}

/**
 * Stores the latest state of each record. A record of a call that has ended is never replaced with one that is still
 * open.
 */
export function keepNewest(found: Map<string, UsageRecord>, record: UsageRecord): void {
  const known = found.get(record.id);
  if (!known || isEnded(record) || !isEnded(known)) found.set(record.id, record);
}

export function rangeQuery(
  { fromMs, toMs }: UsageWindow,
  { write }: UsageDialect,
): Required<Pick<UsageQuery, 'from' | 'to'>> {
  return { from: write(fromMs), to: write(toMs) };
}

/**
 * Returns the first dialect that the service provably supports, or undefined. In each test, the service is asked for
 * some of the records in `latest` (its newest records, unfiltered and not empty), and must return only those.
 */
export async function findDialect(
  account: Account,
  latest: readonly UsageRecord[],
  options: CallOptions,
): Promise<UsageDialect | undefined> {
  for (const dialect of USAGE_DIALECTS) {
    if (await isUnderstood(dialect, account, latest, options)) return dialect;
  }
  return undefined;
}

async function isUnderstood(
  dialect: UsageDialect,
  account: Account,
  latest: readonly UsageRecord[],
  options: CallOptions,
): Promise<boolean> {
  const ask = (window: UsageWindow): Promise<readonly UsageRecord[] | undefined> =>
    account
      .usage({ limit: USAGE_LIMIT_MAX, ...rangeQuery(window, dialect) }, options)
      .catch(unlessBoundsRefused);
  const part = widen(olderHalf(latest), dialect.stepMs);
  const page = await ask(part);
  // An empty answer does not prove that the bounds were understood.
  if (!page || page.length === 0 || !page.every((record) => keepsTo(part, record))) return false;
  const inPart = latest.filter((record) => isWithin(part, record));
  const ids = new Set(page.map(({ id }) => id));
  if (page.length < latest.length && !inPart.every(({ id }) => ids.has(id))) return false;
  if (inPart.length < latest.length) return true;
  // No known record is outside this window, so a service that ignores the filter would not be noticed. Therefore a
  // window without records is also requested.
  const empty = { fromMs: part.toMs + dialect.stepMs, toMs: part.toMs + 2 * dialect.stepMs };
  return (await ask(empty))?.some((record) => ids.has(record.id)) === false;
}

/** Returns a window that holds the older half of the records or, if all have the same time, that instant. */
function olderHalf(records: readonly UsageRecord[]): UsageWindow {
  const times = records.map(({ createdAtMs }) => createdAtMs).toSorted((a, b) => a - b);
  const [fromMs = 0] = times;
  const middleMs = times[Math.floor(times.length / 2)] ?? fromMs;
  return { fromMs, toMs: Math.max(middleMs, fromMs + 1) };
}

/** Returns undefined if the service refused the bounds of a request. Throws any other error. */
export function unlessBoundsRefused(error: unknown): undefined {
  if (error instanceof MediaApiRefusal && error.status === 400) return undefined;
  throw error;
}
