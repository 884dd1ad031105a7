import { type Account, USAGE_LIMIT_MAX, type UsageQuery, type UsageRecord, isEnded } from './account.ts';
import { MediaApiRefusal } from './errors.ts';
import type { CallOptions } from './transport.ts';

/** Half-open, in epoch milliseconds. */
export interface UsageWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A way to write the bounds of a window, and the finest step it can express. */
export interface UsageDialect {
  readonly name: string;
  readonly write: (ms: number) => string;
  readonly stepMs: number;
}

/** What was found out about a service's usage log; JSON, to be kept over restarts. */
export interface UsageHabits {
  /** Of one of `USAGE_DIALECTS`. */
  readonly dialect: string;
  /** Records in an answer that is full. */
  readonly pageMax: number;
}

const DAY_MS = 86_400_000;

/** The document does not say how `from` and `to` are written: the likeliest first. */
export const USAGE_DIALECTS: readonly UsageDialect[] = [
  { name: 'iso', write: (ms) => new Date(ms).toISOString(), stepMs: 1 },
  { name: 'seconds', write: (ms) => String(ms / 1000), stepMs: 1000 },
  { name: 'milliseconds', write: (ms) => String(ms), stepMs: 1 },
  { name: 'date', write: (ms) => new Date(ms).toISOString().slice(0, 10), stepMs: DAY_MS },
];

/** To whole steps outwards. */
export function widen({ fromMs, toMs }: UsageWindow, stepMs: number): UsageWindow {
  return { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs };
}

export function isWithin({ fromMs, toMs }: UsageWindow, { createdAtMs }: UsageRecord): boolean {
  return createdAtMs >= fromMs && createdAtMs < toMs;
}

/** The document says half-open; a service that includes the end is understood all the same. */
export function keepsTo({ fromMs, toMs }: UsageWindow, { createdAtMs }: UsageRecord): boolean {
  return createdAtMs >= fromMs && createdAtMs <= toMs;
}

/** Each id once, as it was read last; but a call that has ended does not go on. */
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
 * The first dialect that the service is seen to understand: asked for a part of the records in `latest` (its newest,
 * unfiltered; not empty), it answers with those and without the others. Undefined when there is none.
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
  // An empty answer proves nothing about how its bounds were read.
  if (!page || page.length === 0 || !page.every((record) => keepsTo(part, record))) return false;
  const inPart = latest.filter((record) => isWithin(part, record));
  const ids = new Set(page.map(({ id }) => id));
  if (page.length < latest.length && !inPart.every(({ id }) => ids.has(id))) return false;
  if (inPart.length < latest.length) return true;
  // Nothing known was to be left out, as an ignored filter would leave nothing out: ask for a time without records.
  const empty = { fromMs: part.toMs + dialect.stepMs, toMs: part.toMs + 2 * dialect.stepMs };
  return (await ask(empty))?.some((record) => ids.has(record.id)) === false;
}

/** A window that holds the older half of the records or, when they are all of one instant, that instant. */
function olderHalf(records: readonly UsageRecord[]): UsageWindow {
  const times = records.map(({ createdAtMs }) => createdAtMs).toSorted((a, b) => a - b);
  const [fromMs = 0] = times;
  const middleMs = times[Math.floor(times.length / 2)] ?? fromMs;
  return { fromMs, toMs: Math.max(middleMs, fromMs + 1) };
}

/** The answer to a request whose bounds the service does not take: none. Anything else that went wrong is thrown on. */
export function unlessBoundsRefused(error: unknown): undefined {
  if (error instanceof MediaApiRefusal && error.status === 400) return undefined;
  throw error;
}
