import type { Database } from './database.ts';
import type { EntryKind } from './entries.ts';

/** Counts the queued and processing jobs of all accounts. */
export function countJobsByState(db: Database): { readonly queued: number; readonly processing: number } {
  const count = (status: 'queued' | 'processing'): number =>
    db.get<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE status = ? AND finishedAt IS NULL', status)
      ?.n ?? 0;
  return { queued: count('queued'), processing: count('processing') };
}

/** Counts the webhooks that are neither delivered nor abandoned. */
export function countPendingDeliveries(db: Database): number {
  return db.get<{ n: number }>("SELECT count(*) AS n FROM deliveries WHERE state = 'pending'")?.n ?? 0;
}

/** A valid key's limit, and how many requests it has used in the window that started at `startsAt`. */
export interface WindowUse {
  readonly keyId: string;
  readonly requestsPerMinute: number;
  readonly used: number;
}

/** Returns the valid keys that made requests in the window, the busiest first. */
export function windowUse(db: Database, startsAt: number, limit: number): WindowUse[] {
  return db.all(
    `SELECT keyId, requestsPerMinute, used FROM rateWindows JOIN apiKeys ON apiKeys.id = keyId
      WHERE startsAt = ? AND revokedAt IS NULL ORDER BY used DESC LIMIT ?`,
    startsAt,
    limit,
  );
}

/** Returns the running totals of all accounts together, in micro-dollars. */
export function accountTotals(db: Database): {
  readonly toppedUp: number;
  readonly spent: number;
  readonly held: number;
} {
  const totals = db.get<{ toppedUp: number; spent: number; held: number }>(
    `SELECT ifnull(sum(toppedUp), 0) AS toppedUp, ifnull(sum(spent), 0) AS spent, ifnull(sum(held), 0) AS held
      FROM accounts`,
  );
  return totals ?? { toppedUp: 0, spent: 0, held: 0 };
}

/** Returns the sums of the entries after `id` by kind, in micro-dollars. */
export function entrySumsSince(
  db: Database,
  id: number,
): { readonly kind: EntryKind; readonly amount: number; readonly lastId: number }[] {
  return db.all(
    'SELECT kind, sum(amount) AS amount, max(id) AS lastId FROM entries WHERE id > ? GROUP BY kind',
    id,
  );
}
