import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { addMicros, toUsdNumber } from '../../../base/money.ts';
import { ENDPOINT, type WireUsageRecord, type WireUsageSummary } from '../../../media-api/wire.ts';
import type { Services } from '../services.ts';
import { type FeatureUsage, type UsageRow, listUsage, sumUsage } from '../../store/usage.ts';
import { parseInput } from '../../wire/parse-input.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

const isoTime = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'Must be an ISO 8601 date, or a time with its zone such as 2026-01-31T12:00:00Z',
  })
  .transform((text) => Date.parse(text));

/**
 * `from` and `to` are the half-open range `[from, to)` over `created_at`. A date without a time means 00:00
 * UTC.
 */
const summaryQuery = z.object({
  from: isoTime.default(0),
  to: isoTime.default(Number.MAX_SAFE_INTEGER),
});

const usageQuery = summaryQuery.extend({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'Must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(LIMIT_MAX))
    .default(LIMIT_DEFAULT),
});

/**
 * Adds the routes `GET /usage`, newest first, and `GET /usage/summary`, which covers the whole range and counts an open
 * session as a call in flight. A `limit` over 500 is rejected rather than reduced, so that a page is not mistaken for
 * the complete list.
 */
export function usageRoutes(app: FastifyInstance, { db, gate }: Services): void {
  app.get('/usage', (request): WireUsageRecord[] => {
    const query = parseInput(usageQuery, request.query);
    return listUsage(db, { accountId: gate.accountOf(request), ...query }).map(toWireUsage);
  });
  app.get('/usage/summary', (request): WireUsageSummary => {
    const range = parseInput(summaryQuery, request.query);
    return toWireSummary(sumUsage(db, { accountId: gate.accountOf(request), ...range }));
  });
}

function toWireSummary(features: readonly FeatureUsage[]): WireUsageSummary {
  const total = (count: (usage: FeatureUsage) => number): number =>
    features.reduce((sum, usage) => sum + count(usage), 0);
  return {
    total_calls: total(({ calls }) => calls),
    succeeded: total(({ succeeded }) => succeeded),
    failed: total(({ failed }) => failed),
    in_flight: total(({ inFlight }) => inFlight),
    total_spent_usd: toUsdNumber(addMicros(...features.map(({ charged }) => charged))),
    per_feature: features.map(({ feature, calls, charged }) => ({
      feature,
      calls,
      spend_usd: toUsdNumber(charged),
    })),
  };
}

function toWireUsage(row: UsageRow): WireUsageRecord {
  return {
    id: row.id,
    endpoint: ENDPOINT[row.feature],
    feature: row.feature,
    status: row.status,
    charged_usd: row.charged === null ? 0 : toUsdNumber(row.charged),
    reason: row.reason,
    created_at: new Date(row.createdAt).toISOString(),
  };
}
