import { randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { randomId } from '../../base/ids.ts';
import { findConsolePassword, writeConsolePassword } from '../store/console-password.ts';
import type { Database } from '../store/database.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Hashing takes 16 MiB and about 30 ms. That is enough, because the password has 100 random bits. */
const COST = { N: 16_384, r: 8, p: 1 } as const;
/** The password has four groups of five letters and digits. */
const LENGTH = 20;

const hashLater: (text: string, salt: Uint8Array, bytes: number, cost: object) => Promise<Buffer> =
  promisify(scrypt);

/** Creates a new console password and returns it. Only a hash of it is stored. */
export function makeConsolePassword(db: Database): string {
  const password = randomId('')
    .slice(1, LENGTH + 1)
    .replaceAll(/.{5}(?=.)/g, '$&-');
  const salt = randomBytes(SALT_BYTES);
  writeConsolePassword(db, { salt, hash: scryptSync(password, salt, HASH_BYTES, COST) });
  return password;
}

/** Returns a string that is different after every password change, or `undefined` if no password was ever set. */
export function consolePasswordMark(db: Database): string | undefined {
  const stored = findConsolePassword(db);
  return stored && Buffer.from(stored.salt).toString('hex');
}

/** Checks a password, in constant time. Returns false if no password was ever set. */
export async function isConsolePassword(db: Database, text: string): Promise<boolean> {
  const stored = findConsolePassword(db);
  if (!stored) return false;
  return timingSafeEqual(await hashLater(text, stored.salt, HASH_BYTES, COST), stored.hash);
}
