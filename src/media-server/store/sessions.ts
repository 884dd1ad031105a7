import { type MicroUsd, ZERO } from '../../base/money.ts';
import type { SessionCapability, UsageReason } from '../../media-api/wire.ts';
import type { Database } from './database.ts';

/**
 * A live or voice session. While `opening`, a place in the engine is being taken. When `ready`, its token waits to be
 * used. When `connected`, its socket is open. When `succeeded` or `failed`, it has ended and was settled in the same
 * step.
 */
export interface SessionRow {
  readonly id: string;
  readonly accountId: string;
  readonly feature: SessionCapability;
  /** The rate per minute when the session was opened. The session is billed at this rate even if it changes later. */
  readonly rate: MicroUsd;
  /** The length that was granted. */
  readonly seconds: number;
  /** The maximum cost. It is reserved from the balance until the session ends. */
  readonly block: MicroUsd;
  readonly tokenHash: Uint8Array | null;
  readonly state: 'opening' | 'ready' | 'connected' | 'succeeded' | 'failed';
  /** The streamed time as last recorded, or null before the first converted frame. */
  readonly streamedMs: number | null;
  readonly charged: MicroUsd | null;
  readonly reason: UsageReason | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export type NewSession = Pick<
  SessionRow,
  'id' | 'accountId' | 'feature' | 'rate' | 'seconds' | 'block' | 'createdAt'
>;

/** The result of a session. */
export interface SessionEnd {
  readonly state: 'succeeded' | 'failed';
  readonly reason: UsageReason | null;
  /** The streamed time, or null if no converted frame was ever sent. */
  readonly streamedMs: number | null;
}

const COLUMNS = `id, accountId, feature, rate, seconds, block, tokenHash, state, streamedMs, charged, reason,
  createdAt, endedAt`;

/** Stores a session as `opening`. */
export function insertSession(db: Database, session: NewSession): void {
  db.run(
    'INSERT INTO sessions (id, accountId, feature, rate, seconds, block, createdAt) VALUES (?, ?, ?, ?, ?, ?, ?)',
    session.id,
    session.accountId,
    session.feature,
    session.rate,
    session.seconds,
    session.block,
    session.createdAt,
  );
}

export function findSession(db: Database, id: string): SessionRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`, id);
}

/** Deletes a session that never got its place, as if it had not been requested. */
export function removeOpeningSession(db: Database, id: string): void {
  db.run("DELETE FROM sessions WHERE id = ? AND state = 'opening'", id);
}

/** Deletes the sessions that a killed server left `opening`. No client knows them. */
export function removeOpeningSessions(db: Database): void {
  db.run("DELETE FROM sessions WHERE state = 'opening'");
}

/** Makes the session ready for one connection, with the token that has this SHA-256 hash. */
export function markSessionReady(db: Database, id: string, tokenHash: Uint8Array): void {
  db.run(
    "UPDATE sessions SET state = 'ready', tokenHash = ? WHERE id = ? AND state = 'opening'",
    tokenHash,
    id,
  );
}

/** Uses the token up. Returns false if it was already used or the session has ended. */
export function connectSession(db: Database, id: string): boolean {
  return (
    db.run("UPDATE sessions SET state = 'connected', tokenHash = NULL WHERE id = ? AND state = 'ready'", id) >
    0
  );
}

/** Records how long a session has streamed, so that it can be settled after a crash. */
export function recordStreamed(db: Database, id: string, streamedMs: number): void {
  db.run('UPDATE sessions SET streamedMs = ? WHERE id = ? AND endedAt IS NULL', streamedMs, id);
}

/** Ends a session and records the amount `charged`. Returns false if it had already ended. */
export function finishSession(
  db: Database,
  id: string,
  end: SessionEnd & { readonly charged: MicroUsd; readonly now: number },
): boolean {
  return (
    db.run(
      `UPDATE sessions SET state = ?, reason = ?, streamedMs = ?, charged = ?, endedAt = ?, tokenHash = NULL
        WHERE id = ? AND endedAt IS NULL`,
      end.state,
      end.reason,
      end.streamedMs,
      end.charged,
      end.now,
      id,
    ) > 0
  );
}

/** Counts the sessions of a capability that have not ended, over all accounts. */
export function countOpenSessions(db: Database, feature: SessionCapability): number {
  return (
    db.get<{ n: number }>('SELECT count(*) AS n FROM sessions WHERE feature = ? AND endedAt IS NULL', feature)
      ?.n ?? 0
  );
}

/** Returns the sum that the account's open sessions may still cost. */
export function reservedBlocks(db: Database, accountId: string): MicroUsd {
  return (
    db.get<{ total: MicroUsd | null }>(
      'SELECT sum(block) AS total FROM sessions WHERE accountId = ? AND endedAt IS NULL',
      accountId,
    )?.total ?? ZERO
  );
}

/** Returns all sessions that have not ended. */
export function listOpenSessions(db: Database): SessionRow[] {
  return db.all(`SELECT ${COLUMNS} FROM sessions WHERE endedAt IS NULL ORDER BY seq`);
}
