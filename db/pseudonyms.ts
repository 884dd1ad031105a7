import { randomId } from '../src/base/ids.ts';
import { hmacHex } from '../src/base/signing.ts';
import { initializeSetting } from './queries/settings.ts';
import type { Queryable } from './schema.ts';

/**
 * How a member is called where something about them outlives their data: a block, or what counts against a limit. It
 * always follows from the id, but only who has this installation's key can tell that it does.
 */
export type PseudonymOf = (userId: string) => string;

/** User ids are digits, so no pseudonym is one. */
export const PSEUDONYM_PREFIX = 'gone_';

/** Reads the installation's key, which is made at the first use. */
export async function openPseudonyms(db: Queryable): Promise<PseudonymOf> {
  const secret = await initializeSetting(db, 'block_list_secret', randomId('s'));
  return (userId) => `${PSEUDONYM_PREFIX}${hmacHex(secret, userId).slice(0, 32)}`;
}

/** A pseudonym that follows from nothing: nobody can tell whose it was. */
export function namelessPseudonym(): string {
  return randomId('gone');
}
