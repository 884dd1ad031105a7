import type { Database } from './database.ts';

/** A stored API key. Its text is stored only as a hash, which no row returned by this file contains. */
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
 * Finds the key with this SHA-256 hash, whether or not it is revoked. The timing of an index lookup by hash
 * reveals nothing, because a prober cannot choose hashes.
 */
export function findApiKeyByHash(db: Database, hash: Uint8Array): ApiKeyRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM apiKeys WHERE hash = ?`, hash);
}

export function findKey(db: Database, id: string): ApiKeyRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM apiKeys WHERE id = ?`, id);
}

/** Returns the keys of the account, or of all accounts, oldest first. */
export function listApiKeys(db: Database, accountId: string | undefined): ApiKeyRow[] {
  return db.all(
    `SELECT ${COLUMNS} FROM apiKeys WHERE ? IS NULL OR accountId = ? ORDER BY createdAt, id`,
    accountId ?? null,
    accountId ?? null,
  );
}

/** Returns whether there was a valid key to revoke. */
export function revokeApiKey(db: Database, id: string, now: number): boolean {
  return db.run('UPDATE apiKeys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL', now, id) > 0;
}

/** Returns whether the key exists. */
export function setKeyRequestsPerMinute(db: Database, id: string, requestsPerMinute: number): boolean {
  return db.run('UPDATE apiKeys SET requestsPerMinute = ? WHERE id = ?', requestsPerMinute, id) > 0;
}
