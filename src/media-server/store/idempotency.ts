import type { Database } from './database.ts';

/** Returns the job that the account's key was bound to after `since`, if there is one. */
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

/** Binds the key to a job, in the transaction that creates the job. Replaces an expired binding. */
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

/** Deletes keys that were bound at or before `until`. */
export function deleteIdempotencyKeys(db: Database, until: number): void {
  db.run('DELETE FROM idempotencyKeys WHERE createdAt <= ?', until);
}
