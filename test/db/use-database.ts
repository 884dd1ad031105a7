import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../db/database.ts';
import { useFolder } from '../helpers/use-folder.ts';
import { TEST_DATABASE, databaseUrlOf, postgresNameOf } from './database-url.ts';
import { putMigrated } from './migrated-file.ts';
import { usePostgres } from './use-postgres.ts';

/**
 * Opens an empty database of the kind that the test runs on. Calls with the same `path` open the same
 * database, and so do other processes at `databaseUrlOf(path)`.
 */
export async function useDatabase(path?: string): Promise<Database> {
  return opened(await useDatabaseUrl(path ?? join(await useFolder(), 'test.db')));
}

/** Creates the same kind of database as `useDatabase` without opening it, and returns its URL. */
export async function useDatabaseUrl(path: string): Promise<string> {
  if (TEST_DATABASE === 'postgres') return usePostgres(postgresNameOf(path));
  await putMigrated(path);
  return databaseUrlOf(path);
}

/** Opens an SQLite file, regardless of the kind that the test runs on. */
export async function useSqlite(path: string): Promise<Database> {
  return opened(`sqlite:${path}`);
}

async function opened(url: string): Promise<Database> {
  const database = await openDatabase({ url });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}
