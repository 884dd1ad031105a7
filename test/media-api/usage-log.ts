import type { WireUsageRecord } from '../../src/media-api/wire.ts';
import { type Reply, json, refuse } from './use-stub-api.ts';

/** Reads the text of `from` or `to` as a service would, and returns it in milliseconds; NaN rejects the text. */
export type ReadBound = (text: string) => number;

const whole = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

/** The formats in which a service may expect its bounds. */
export const BOUNDS: Readonly<Record<'iso' | 'seconds' | 'milliseconds' | 'date', ReadBound>> = {
  iso: (text) => (text.includes('T') ? Date.parse(text) : NaN),
  seconds: (text) => whole(text) * 1000,
  milliseconds: (text) => (whole(text) > 1e11 ? whole(text) : NaN),
  date: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN),
};

export interface UsageLogOptions {
  /** If null, bounds are ignored. */
  readonly read: ReadBound | null;
  /** If true, the summary ignores bounds although the log does not. */
  readonly summaryIgnoresBounds?: boolean;
  /** The log keeps only this many of the newest records; the summary counts all of them. */
  readonly keptMax?: number;
  /** The largest number of records in an answer. Default 500. */
  readonly pageMax?: number;
  /** Reorders a page, or omits or duplicates some of its records. */
  readonly shuffle?: (page: readonly WireUsageRecord[]) => readonly WireUsageRecord[];
}

/** Answers `/usage` and `/usage/summary` from `records`; a page holds the newest ones that fit. */
export function usageLog(records: readonly WireUsageRecord[], options: UsageLogOptions): Reply {
  return async (request, response, read) => {
    const url = new URL(request.url ?? '', 'http://x');
    const isSummary = url.pathname.endsWith('/summary');
    const isFree = isSummary && options.summaryIgnoresBounds;
    const [fromMs = -Infinity, toMs = Infinity] = ['from', 'to'].map((name) => {
      const text = url.searchParams.get(name);
      return text === null || !options.read || isFree ? undefined : options.read(text);
    });
    if (Number.isNaN(fromMs) || Number.isNaN(toMs))
      return refuse(400, 'invalid_input')(request, response, read);
    const newest = records.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    const inRange = (isSummary ? newest : newest.slice(0, options.keptMax)).filter(({ created_at }) => {
      const ms = Date.parse(created_at);
      return ms >= fromMs && ms < toMs;
    });
    if (isSummary) return json(200, summaryOf(inRange))(request, response, read);
    const limit = Math.min(Number(url.searchParams.get('limit')), options.pageMax ?? 500);
    const page = inRange.slice(0, limit);
    return json(200, options.shuffle?.(page) ?? page)(request, response, read);
  };
}

/** Returns the answer to `/usage/summary` for these records. */
export function summaryOf(records: readonly WireUsageRecord[]): object {
  const count = (status: string): number => records.filter((record) => record.status === status).length;
  const spent = records.reduce((sum, { charged_usd: usd }) => sum + Math.round(usd * 1e6), 0);
  const [succeeded, failed] = [count('succeeded'), count('failed')];
  return {
    total_calls: records.length,
    succeeded,
    failed,
    in_flight: records.length - succeeded - failed,
    total_spent_usd: spent / 1e6,
    per_feature: [],
  };
}
