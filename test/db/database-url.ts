import { createHash } from 'node:crypto';

/** Which database the tests run on: some files run once on each (see `vitest.config.ts`). */
export const TEST_DATABASE: 'sqlite' | 'postgres' =
  process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite';

/** The URL of what a test keeps at `path`: that file, or a database of the test server that stands for it. */
export function databaseUrlOf(path: string): string {
  return TEST_DATABASE === 'postgres' ? postgresUrlOf(postgresNameOf(path)) : `sqlite:${path}`;
}

/** The same of the bot that keeps its files in `dataDir`. */
export function databaseUrlIn(dataDir: string): string {
  return databaseUrlOf(`${dataDir}/masquerade.db`);
}

export function postgresNameOf(path: string): string {
  return `test_${createHash('sha256').update(path).digest('hex').slice(0, 24)}`;
}

/** A database of the server that `TEST_POSTGRES_URL` names; without a name the one that it names. */
export function postgresUrlOf(name?: string): string {
  const server = process.env['TEST_POSTGRES_URL'] ?? '';
  return name === undefined ? server : server.replace(/\/[^/?]*(?=\?|$)/, `/${name}`);
}
