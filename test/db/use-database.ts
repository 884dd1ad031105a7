import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../db/database.ts';
import { useFolder } from '../helpers/use-folder.ts';
import { TEST_DATABASE, databaseUrlOf, postgresNameOf } from './database-url.ts';
import { putMigrated } from './migrated-file.ts';
import { usePostgres } from './use-postgres.ts';

/**
 * An open database of the kind that the test runs on, with nothing in it; several calls with one `path` open the same
 * one, also those to come from other processes at `databaseUrlOf(path)`.
 */
export async function useDatabase(path?: string): Promise<Database> {
  return opened(await useDatabaseUrl(path ?? join(await useFolder(), 'test.db')));
}

/** The URL of the same, not opened yet. */
export async function useDatabaseUrl(path: string): Promise<string> {
  if (TEST_DATABASE === 'postgres') return usePostgres(postgresNameOf(path));
  await putMigrated(path);
  return databaseUrlOf(path);
}

/** An open SQLite file, whatever the test runs on. */
export async function useSqlite(path: string): Promise<Database> {
  return opened(`sqlite:${path}`);
}

async function opened(url: string): Promise<Database> {
  const database = await openDatabase({ url });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}
