import { randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { randomId } from '../../base/ids.ts';
import { findConsolePassword, writeConsolePassword } from '../store/console-password.ts';
import type { Database } from '../store/database.ts';

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** 16 MiB and some 30 ms: what is hashed has 100 random bits. */
const COST = { N: 16_384, r: 8, p: 1 } as const;
/** Four groups of five letters and digits. */
const LENGTH = 20;

const hashLater: (text: string, salt: Uint8Array, bytes: number, cost: object) => Promise<Buffer> =
  promisify(scrypt);

/** Makes a new password of the console and returns it, the only time it exists outside a hash. */
export function makeConsolePassword(db: Database): string {
  const password = randomId('')
    .slice(1, LENGTH + 1)
    .replaceAll(/.{5}(?=.)/g, '$&-');
  const salt = randomBytes(SALT_BYTES);
  writeConsolePassword(db, { salt, hash: scryptSync(password, salt, HASH_BYTES, COST) });
  return password;
}

/** Another text after every change of the password; undefined before there is one. */
export function consolePasswordMark(db: Database): string | undefined {
  const stored = findConsolePassword(db);
  return stored && Buffer.from(stored.salt).toString('hex');
}

/** Takes as long for a wrong password as for the right one. False before there is one. */
export async function isConsolePassword(db: Database, text: string): Promise<boolean> {
  const stored = findConsolePassword(db);
  if (!stored) return false;
  return timingSafeEqual(await hashLater(text, stored.salt, HASH_BYTES, COST), stored.hash);
}
