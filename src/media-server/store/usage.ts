import type { MicroUsd } from '../../base/money.ts';
import type { Capability, JobStatus, UsageReason } from '../../media-api/wire.ts';
import type { Database } from './database.ts';

/** One call as the usage log shows it. */
export interface UsageRow {
  readonly id: string;
  readonly feature: Capability;
  readonly status: JobStatus;
  readonly charged: MicroUsd | null;
  readonly reason: UsageReason | null;
  readonly createdAt: number;
}

/** The account's calls created in the half-open range `[from, to)`, newest first. */
export function listUsage(
  db: Database,
  query: { accountId: string; from: number; to: number; limit: number },
): UsageRow[] {
  return db.all(
    `SELECT id, feature, status, charged, reason, createdAt FROM jobs
      WHERE accountId = ? AND createdAt >= ? AND createdAt < ?
      ORDER BY createdAt DESC, seq DESC LIMIT ?`,
    query.accountId,
    query.from,
    query.to,
    query.limit,
  );
}
