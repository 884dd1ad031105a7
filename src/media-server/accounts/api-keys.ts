import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { type ApiKeyRow, findApiKeyByHash, insertApiKey } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';

export const API_KEY_LENGTH_MAX = 200;
const API_KEY = /^[\x21-\x7e]{8,200}$/;

interface NewKey {
  readonly accountId: string;
  readonly name: string;
  readonly requestsPerMinute: number;
  /** The key's text, if the configuration provides one; otherwise it is generated. */
  readonly text?: string | undefined;
}

/** Creates a key and returns its text. Only a hash of it is stored. */
export function createApiKey(db: Database, clock: Clock, key: NewKey): { id: string; text: string } {
  const text = key.text ?? randomId('mk');
  if (!API_KEY.test(text)) {
    throw new RangeError('Cannot use this API key: it needs 8 to 200 printable characters without spaces');
  }
  const id = randomId('key');
  insertApiKey(db, {
    id,
    accountId: key.accountId,
    name: key.name,
    hash: hashApiKey(text),
    requestsPerMinute: key.requestsPerMinute,
    createdAt: clock.now(),
  });
  return { id, text };
}

/** Finds the stored key with this text, whether or not it is revoked. */
export function findApiKey(db: Database, text: string): ApiKeyRow | undefined {
  return findApiKeyByHash(db, hashApiKey(text));
}

function hashApiKey(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
