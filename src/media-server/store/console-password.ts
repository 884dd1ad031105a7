import type { Database } from './database.ts';

/** The console's password as it is stored: a salted scrypt hash. */
interface ConsolePasswordRow {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export function findConsolePassword(db: Database): ConsolePasswordRow | undefined {
  return db.get('SELECT salt, hash FROM consolePassword');
}

/** Sets the one password; whatever was there is gone. */
export function writeConsolePassword(db: Database, { salt, hash }: ConsolePasswordRow): void {
  db.run('INSERT OR REPLACE INTO consolePassword (only, salt, hash) VALUES (1, ?, ?)', salt, hash);
}
