import type { AccountRow } from './accounts.ts';
import type { ApiKeyRow } from './api-keys.ts';
import type { Database } from './database.ts';
import { type AttemptRow, type DeliveryRow, attemptsOf } from './deliveries.ts';
import type { JobRow } from './jobs.ts';
import type { SessionRow } from './sessions.ts';

/** The page of a list to read. */
export interface PageOf {
  readonly limit: number;
  readonly offset: number;
}

/** A job without its request and its files. */
export type RecentJob = Pick<
  JobRow,
  | 'id'
  | 'accountId'
  | 'feature'
  | 'status'
  | 'hold'
  | 'charged'
  | 'errorCode'
  | 'reason'
  | 'createdAt'
  | 'finishedAt'
>;

export type RecentSession = Omit<SessionRow, 'tokenHash' | 'rate'>;

/** A webhook with its job's account and all its attempts. */
export interface RecentDelivery extends Omit<DeliveryRow, 'lastOutcome'>, Pick<JobRow, 'accountId'> {
  readonly createdAt: number;
  readonly tries: readonly AttemptRow[];
}

/** Returns the jobs of all accounts, newest first. */
export function recentJobs(db: Database, { limit, offset }: PageOf): RecentJob[] {
  return db.all(
    `SELECT id, accountId, feature, status, hold, charged, errorCode, reason, createdAt, finishedAt
      FROM jobs ORDER BY seq DESC LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
}

/** Returns the sessions of all accounts, newest first. */
export function recentSessions(db: Database, { limit, offset }: PageOf): RecentSession[] {
  return db.all(
    `SELECT id, accountId, feature, seconds, block, state, streamedMs, charged, reason, createdAt, endedAt
      FROM sessions ORDER BY seq DESC LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
}

/** Returns the webhooks of all accounts, newest first. */
export function recentDeliveries(db: Database, { limit, offset }: PageOf): RecentDelivery[] {
  const deliveries = db.all<Omit<RecentDelivery, 'tries'>>(
    `SELECT d.id, d.jobId, d.origin, d.state, d.attempts, d.dueAt, d.createdAt, j.accountId
      FROM (SELECT * FROM deliveries ORDER BY createdAt DESC, id LIMIT ? OFFSET ?) d
      JOIN jobs j ON j.id = d.jobId ORDER BY d.createdAt DESC, d.id`,
    limit,
    offset,
  );
  const ids = deliveries.map(({ id }) => id);
  const tries = Map.groupBy(attemptsOf(db, ids), ({ deliveryId }) => deliveryId);
  return deliveries.map((delivery) => ({ ...delivery, tries: tries.get(delivery.id) ?? [] }));
}

/** Returns accounts, oldest first. */
export function readAccountPage(db: Database, { limit, offset }: PageOf): AccountRow[] {
  return db.all(
    'SELECT id, name, toppedUp, spent, held FROM accounts ORDER BY createdAt, id LIMIT ? OFFSET ?',
    limit,
    offset,
  );
}

/** Returns the names of accounts, oldest first. */
export function accountNames(db: Database, limit: number): Pick<AccountRow, 'id' | 'name'>[] {
  return db.all('SELECT id, name FROM accounts ORDER BY createdAt, id LIMIT ?', limit);
}

/** Returns the keys of all accounts: valid ones first, then the newest. */
export function readKeyPage(db: Database, { limit, offset }: PageOf): ApiKeyRow[] {
  return db.all(
    `SELECT id, accountId, name, requestsPerMinute, createdAt, revokedAt FROM apiKeys
      ORDER BY revokedAt IS NULL DESC, createdAt DESC, id LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
}
