import type { Database } from './database.ts';

/** A queued or ended webhook. `id` is the public delivery id, which is the same for every attempt. */
export interface DeliveryRow {
  readonly id: string;
  readonly jobId: string;
  /** The origin of the callback URL. The number of simultaneous attempts to one origin is limited. */
  readonly origin: string;
  readonly state: 'pending' | 'delivered' | 'abandoned';
  /** The number of attempts that were started. */
  readonly attempts: number;
  readonly dueAt: number;
  /** The result of the last attempt, for operators: a status or an error code, never text from the receiver. */
  readonly lastOutcome: string | null;
}

/** One attempt to deliver a webhook. */
export interface AttemptRow {
  readonly deliveryId: string;
  /** The number of the attempt, starting at 1. */
  readonly number: number;
  readonly startedAt: number;
  /**
   * The end and the result of the attempt. Both are null while the attempt is in progress, and stay null if its process
   * ended first.
   */
  readonly endedAt: number | null;
  readonly outcome: string | null;
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

/**
 * Returns pending deliveries that are due at `now`, except those to origins in `except`, the longest overdue
 * first.
 */
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

/** Returns the earliest time after `now` at which a pending delivery is due. */
export function nextDueAt(db: Database, now: number): number | undefined {
  return (
    db.get<{ dueAt: number | null }>(
      "SELECT min(dueAt) AS dueAt FROM deliveries WHERE state = 'pending' AND dueAt > ?",
      now,
    )?.dueAt ?? undefined
  );
}

/** Counts an attempt before it is made, and returns its number. After a crash, the next attempt is due at `dueAt`. */
export function beginAttempt(db: Database, begin: { id: string; now: number; dueAt: number }): number {
  return db.transact(() => {
    const row = db.get<{ attempts: number }>(
      'UPDATE deliveries SET attempts = attempts + 1, dueAt = ? WHERE id = ? RETURNING attempts',
      begin.dueAt,
      begin.id,
    );
    if (!row) throw new TypeError('Cannot begin an attempt: no such delivery');
    db.run(
      'INSERT INTO deliveryAttempts (deliveryId, number, startedAt) VALUES (?, ?, ?)',
      begin.id,
      row.attempts,
      begin.now,
    );
    return row.attempts;
  });
}

/** Records the result of the last attempt, and when the next attempt is due if the webhook is still pending. */
export function endAttempt(
  db: Database,
  end: { id: string; state: DeliveryRow['state']; now: number; dueAt: number; outcome: string },
): void {
  db.transact(() => {
    db.run(
      'UPDATE deliveries SET state = ?, dueAt = ?, lastOutcome = ? WHERE id = ?',
      end.state,
      end.dueAt,
      end.outcome,
      end.id,
    );
    db.run(
      `UPDATE deliveryAttempts SET endedAt = ?, outcome = ?
        WHERE deliveryId = ? AND number = (SELECT attempts FROM deliveries WHERE id = deliveryId)`,
      end.now,
      end.outcome,
      end.id,
    );
  });
}

/** Undoes an attempt that an orderly stop interrupted. The delivery is due again at `dueAt`. */
export function undoAttempt(db: Database, id: string, dueAt: number): void {
  db.transact(() => {
    db.run(
      `DELETE FROM deliveryAttempts
        WHERE deliveryId = ? AND number = (SELECT attempts FROM deliveries WHERE id = deliveryId)`,
      id,
    );
    db.run(
      "UPDATE deliveries SET attempts = attempts - 1, dueAt = ?, lastOutcome = 'stopped' WHERE id = ?",
      dueAt,
      id,
    );
  });
}

/**
 * Returns the attempts of these webhooks, grouped by webhook and in order. Attempts that were made before the table
 * existed are missing.
 */
export function attemptsOf(db: Database, deliveryIds: readonly string[]): AttemptRow[] {
  return db.all(
    `SELECT deliveryId, number, startedAt, endedAt, outcome FROM deliveryAttempts
      WHERE deliveryId IN (SELECT value FROM json_each(?)) ORDER BY deliveryId, number`,
    JSON.stringify(deliveryIds),
  );
}
