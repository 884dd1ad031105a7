import type { Database } from './database.ts';

/** An API key as stored: its secret exists only as a hash, which leaves this file in no row. */
export interface ApiKeyRow {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly requestsPerMinute: number;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

const COLUMNS = 'id, accountId, name, requestsPerMinute, createdAt, revokedAt';

/** Stores a key by the SHA-256 `hash` of its text. */
export function insertApiKey(db: Database, key: Omit<ApiKeyRow, 'revokedAt'> & { hash: Uint8Array }): void {
  db.run(
    'INSERT INTO apiKeys (id, accountId, name, hash, requestsPerMinute, createdAt) VALUES (?, ?, ?, ?, ?, ?)',
    key.id,
    key.accountId,
    key.name,
    key.hash,
    key.requestsPerMinute,
    key.createdAt,
  );
}

/**
 * The key with this SHA-256 hash, revoked or not. An index look-up by hash tells nothing by its timing:
 * the prober cannot choose hashes.
 */
export function findApiKeyByHash(db: Database, hash: Uint8Array): ApiKeyRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM apiKeys WHERE hash = ?`, hash);
}

export function findKey(db: Database, id: string): ApiKeyRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM apiKeys WHERE id = ?`, id);
}

/** The account's keys, or all, oldest first. */
export function listApiKeys(db: Database, accountId: string | undefined): ApiKeyRow[] {
  return db.all(
    `SELECT ${COLUMNS} FROM apiKeys WHERE ? IS NULL OR accountId = ? ORDER BY createdAt, id`,
    accountId ?? null,
    accountId ?? null,
  );
}

/** Says whether a live key was there to revoke. */
export function revokeApiKey(db: Database, id: string, now: number): boolean {
  return db.run('UPDATE apiKeys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL', now, id) > 0;
}

/** Says whether there was such a key. */
export function setKeyRequestsPerMinute(db: Database, id: string, requestsPerMinute: number): boolean {
  return db.run('UPDATE apiKeys SET requestsPerMinute = ? WHERE id = ?', requestsPerMinute, id) > 0;
}
