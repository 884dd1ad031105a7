import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../db/database.ts';
import { useFolder } from '../use-folder.ts';

/** An open database in a real file; several calls with one `path` open the same file. */
export async function useDatabase(path?: string): Promise<Database> {
  const file = path ?? join(await useFolder(), 'test.db');
  const database = await openDatabase({ url: `sqlite:${file}` });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}
