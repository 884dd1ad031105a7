import type { Database } from './database.ts';

/**
 * Counts one request in the key's window that starts at `startsAt` and returns the new count. It is one
 * atomic statement, so all processes that use the same file share the count.
 */
export function countRequest(db: Database, keyId: string, startsAt: number): number {
  const row = db.get<{ used: number }>(
    `INSERT INTO rateWindows (keyId, startsAt, used) VALUES (?, ?, 1)
      ON CONFLICT (keyId) DO UPDATE SET
        used = CASE WHEN startsAt = excluded.startsAt THEN used + 1 ELSE 1 END,
        startsAt = excluded.startsAt
      RETURNING used`,
    keyId,
    startsAt,
  );
  if (!row) throw new TypeError('Cannot count a request: the window was not returned');
  return row.used;
}
