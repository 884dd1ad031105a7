import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_DATABASE, databaseUrlIn } from './database-url.ts';
import { onServer } from './use-postgres.ts';

/**
 * Returns every byte that the bot with this data folder stores: its files, including those of an SQLite database,
 * and the tables of a PostgreSQL database.
 */
export async function storedBytes(dataDir: string): Promise<Map<string, Buffer>> {
  const found = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const));
  return new Map([...files, ...(TEST_DATABASE === 'postgres' ? await tablesOf(databaseUrlIn(dataDir)) : [])]);
}

async function tablesOf(url: string): Promise<[string, Buffer][]> {
  return onServer(async (server) => {
    const tables = await server.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const read: [string, Buffer][] = [];
    for (const { name } of tables.rows) {
      const { rows } = await server.query<unknown[]>({ text: `select * from ${name}`, rowMode: 'array' });
      const values = rows
        .flat()
        .map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value))));
      read.push([name, Buffer.concat(values)]);
    }
    return read;
  }, url);
}
