import type { Database } from './database.ts';

/** A webhook on its way. `id` is the public delivery id, the same for every attempt. */
export interface DeliveryRow {
  readonly id: string;
  readonly jobId: string;
  /** Of the callback URL: one receiver's share of the attempts under way goes by it. */
  readonly origin: string;
  readonly state: 'pending' | 'delivered' | 'abandoned';
  /** Attempts begun so far. */
  readonly attempts: number;
  readonly dueAt: number;
  /** How the last attempt ended, for operators: a status or an error code, never a text of the receiver. */
  readonly lastOutcome: string | null;
}

const COLUMNS = 'id, jobId, origin, state, attempts, dueAt, lastOutcome';

export function insertDelivery(
  db: Database,
  delivery: { id: string; jobId: string; origin: string; now: number },
): void {
  db.run(
    'INSERT INTO deliveries (id, jobId, origin, dueAt, createdAt) VALUES (?, ?, ?, ?, ?)',
    delivery.id,
    delivery.jobId,
    delivery.origin,
    delivery.now,
    delivery.now,
  );
}

export function findDelivery(db: Database, jobId: string): DeliveryRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM deliveries WHERE jobId = ?`, jobId);
}

/** Pending deliveries due at `now` to any origin but those in `except`, the longest due first. */
export function dueDeliveries(
  db: Database,
  query: { now: number; limit: number; except: readonly string[] },
): DeliveryRow[] {
  return db.all(
    `SELECT ${COLUMNS} FROM deliveries
      WHERE state = 'pending' AND dueAt <= ? AND origin NOT IN (SELECT value FROM json_each(?))
      ORDER BY dueAt LIMIT ?`,
    query.now,
    JSON.stringify(query.except),
    query.limit,
  );
}

/** When the next pending delivery after `now` is due. */
export function nextDueAt(db: Database, now: number): number | undefined {
  return (
    db.get<{ dueAt: number | null }>(
      "SELECT min(dueAt) AS dueAt FROM deliveries WHERE state = 'pending' AND dueAt > ?",
      now,
    )?.dueAt ?? undefined
  );
}

/** Counts the attempt before it is made: after a crash the next one is due at `dueAt` with the next number. */
export function beginAttempt(db: Database, id: string, dueAt: number): number {
  const row = db.get<{ attempts: number }>(
    'UPDATE deliveries SET attempts = attempts + 1, dueAt = ? WHERE id = ? RETURNING attempts',
    dueAt,
    id,
  );
  if (!row) throw new TypeError('Cannot begin an attempt: no such delivery');
  return row.attempts;
}

/** Records how an attempt ended, and when the next is due if it is still pending. */
export function endAttempt(
  db: Database,
  end: { id: string; state: DeliveryRow['state']; dueAt: number; outcome: string },
): void {
  db.run(
    'UPDATE deliveries SET state = ?, dueAt = ?, lastOutcome = ? WHERE id = ?',
    end.state,
    end.dueAt,
    end.outcome,
    end.id,
  );
}

/** Undoes the count of an attempt that an orderly stop cut short; it is due again at `dueAt`. */
export function takeBackAttempt(db: Database, id: string, dueAt: number): void {
  db.run(
    "UPDATE deliveries SET attempts = attempts - 1, dueAt = ?, lastOutcome = 'stopped' WHERE id = ?",
    dueAt,
    id,
  );
}
