import type { Database } from './database.ts';

/** The job that the account's key named since `since`, if any. */
export function findReplayedJob(
  db: Database,
  accountId: string,
  value: string,
  since: number,
): string | undefined {
  return db.get<{ jobId: string }>(
    'SELECT jobId FROM idempotencyKeys WHERE accountId = ? AND value = ? AND createdAt > ?',
    accountId,
    value,
    since,
  )?.jobId;
}

/** Binds the key to a job, in the transaction that creates it; takes the place of an outlived binding. */
export function bindIdempotencyKey(
  db: Database,
  key: { accountId: string; value: string; jobId: string; createdAt: number },
): void {
  db.run(
    'INSERT OR REPLACE INTO idempotencyKeys (accountId, value, jobId, createdAt) VALUES (?, ?, ?, ?)',
    key.accountId,
    key.value,
    key.jobId,
    key.createdAt,
  );
}

/** Forgets keys bound at or before `until`. */
export function deleteIdempotencyKeys(db: Database, until: number): void {
  db.run('DELETE FROM idempotencyKeys WHERE createdAt <= ?', until);
}
