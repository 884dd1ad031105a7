import type { MicroUsd } from '../../base/money.ts';
import type { JobStatus, PricedCapability, UsageReason } from '../../media-api/wire.ts';
import type { Database } from './database.ts';

/** One call in the usage log. */
export interface UsageRow {
  readonly id: string;
  readonly feature: PricedCapability;
  readonly status: JobStatus;
  readonly charged: MicroUsd | null;
  readonly reason: UsageReason | null;
  readonly createdAt: number;
}

/** Selects an account's calls that were created in the half-open range `[from, to)`. */
interface UsageRange {
  readonly accountId: string;
  readonly from: number;
  readonly to: number;
}

/** An open session is `queued` until its socket is connected, then `processing`. */
const SESSION_STATUS = `CASE state WHEN 'opening' THEN 'queued' WHEN 'ready' THEN 'queued'
  WHEN 'connected' THEN 'processing' ELSE state END`;
const WITHIN = 'accountId = ? AND createdAt >= ? AND createdAt < ?';

/** Returns the newest calls of the range (jobs and sessions), newest first. */
export function listUsage(db: Database, query: UsageRange & { readonly limit: number }): UsageRow[] {
  const { accountId, from, to, limit } = query;
  const range = [accountId, from, to] as const;
  const newest = 'ORDER BY createdAt DESC, seq DESC LIMIT ?';
  return db.all(
    `SELECT id, feature, status, charged, reason, createdAt FROM (
       SELECT * FROM (SELECT id, feature, status, charged, reason, createdAt, seq FROM jobs
         WHERE ${WITHIN} ${newest})
       UNION ALL
       SELECT * FROM (SELECT id, feature, ${SESSION_STATUS} AS status, charged, reason, createdAt, seq FROM sessions
         WHERE ${WITHIN} ${newest}))
     ${newest}`,
    ...range,
    limit,
    ...range,
    limit,
    limit,
  );
}

/** The calls of a capability in a range; `calls` = `succeeded` + `failed` + `inFlight`. */
export interface FeatureUsage {
  readonly feature: PricedCapability;
  readonly calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly inFlight: number;
  readonly charged: MicroUsd;
}

/** Counts all calls of the range for each capability that has any. Reads only two indexes. */
export function sumUsage(db: Database, { accountId, from, to }: UsageRange): FeatureUsage[] {
  const range = [accountId, from, to] as const;
  const sums = 'count(*) AS calls, ifnull(sum(charged), 0) AS charged';
  return db.all(
    `SELECT feature, sum(calls) AS calls, sum(calls * (status = 'succeeded')) AS succeeded,
        sum(calls * (status = 'failed')) AS failed,
        sum(calls * (status IN ('queued', 'processing'))) AS inFlight, sum(charged) AS charged
      FROM (SELECT feature, status, ${sums} FROM jobs WHERE ${WITHIN} GROUP BY feature, status
        UNION ALL
        SELECT feature, ${SESSION_STATUS} AS status, ${sums} FROM sessions WHERE ${WITHIN} GROUP BY feature, state)
      GROUP BY feature ORDER BY feature`,
    ...range,
    ...range,
  );
}
