import { randomId } from '../src/base/ids.ts';
import { hmacHex } from '../src/base/signing.ts';
import { initializeSetting } from './queries/settings.ts';
import type { Queryable } from './schema.ts';

/**
 * Returns a member's pseudonym for rows that are kept after the member's data has been removed: a block, or spending
 * that counts against a limit. The pseudonym depends only on the id and on this installation's key, so nobody without
 * the key can determine whom it stands for.
 */
export type PseudonymOf = (userId: string) => string;

/** Distinguishes pseudonyms from user ids, which consist of digits. */
export const PSEUDONYM_PREFIX = 'gone_';

/** Reads the installation's key and creates it on first use. */
export async function openPseudonyms(db: Queryable): Promise<PseudonymOf> {
  const secret = await initializeSetting(db, 'block_list_secret', randomId('s'));
  return (userId) => `${PSEUDONYM_PREFIX}${hmacHex(secret, userId).slice(0, 32)}`;
}

/** Returns a random pseudonym, which cannot be matched to any member. */
export function namelessPseudonym(): string {
  return randomId('gone');
}
