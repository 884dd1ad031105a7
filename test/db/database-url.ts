import { createHash } from 'node:crypto';

/** The database of the tests: some files run once on each (see `vitest.config.ts`). */
export const TEST_DATABASE: 'sqlite' | 'postgres' =
  process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite';

/** Returns the URL of a test's data at `path`: that file, or a database of the test server in its place. */
export function databaseUrlOf(path: string): string {
  return TEST_DATABASE === 'postgres' ? postgresUrlOf(postgresNameOf(path)) : `sqlite:${path}`;
}

/** Returns the URL of the database of a bot with its files in `dataDir`. */
export function databaseUrlIn(dataDir: string): string {
  return databaseUrlOf(`${dataDir}/masquerade.db`);
}

export function postgresNameOf(path: string): string {
  return `test_${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;
}

/**
 * Returns the URL of a database on the server of `TEST_POSTGRES_URL`; without a name, the database in that
 * URL.
 */
export function postgresUrlOf(name?: string): string {
  const server = process.env['TEST_POSTGRES_URL'] ?? '';
  return name === undefined ? server : server.replace(/\/[^/?]*(?=\?|$)/, `/${name}`);
}
