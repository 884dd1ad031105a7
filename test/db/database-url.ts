import { createHash } from 'node:crypto';

/** The kind of database that the tests use; some test files run once on each kind (see `vitest.config.ts`). */
export const TEST_DATABASE: 'sqlite' | 'postgres' =
  process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite';

/** Returns the database URL for `path`: the SQLite file there, or a database on the test server in its place. */
export function databaseUrlOf(path: string): string {
  return TEST_DATABASE === 'postgres' ? postgresUrlOf(postgresNameOf(path)) : `sqlite:${path}`;
}

/** Returns the database URL of a bot whose files are in `dataDir`. */
export function databaseUrlIn(dataDir: string): string {
  return databaseUrlOf(`${dataDir}/masquerade.db`);
}

export function postgresNameOf(path: string): string {
  return `test_${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;
}

/** Returns the URL of the database `name` on the server in `TEST_POSTGRES_URL`; without `name`, that URL unchanged. */
export function postgresUrlOf(name?: string): string {
  const server = process.env['TEST_POSTGRES_URL'] ?? '';
  return name === undefined ? server : server.replace(/\/[^/?]*(?=\?|$)/, `/${name}`);
}
