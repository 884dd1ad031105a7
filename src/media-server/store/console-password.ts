import type { Database } from './database.ts';

/** The console's password as stored: a salted scrypt hash. */
interface ConsolePasswordRow {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export function findConsolePassword(db: Database): ConsolePasswordRow | undefined {
  return db.get('SELECT salt, hash FROM consolePassword');
}

/** Sets the console's only password, and replaces the old one. */
export function writeConsolePassword(db: Database, { salt, hash }: ConsolePasswordRow): void {
  db.run('INSERT OR REPLACE INTO consolePassword (only, salt, hash) VALUES (1, ?, ?)', salt, hash);
}
