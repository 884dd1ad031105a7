import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../db/database.ts';

/** A directory of its own that goes away with the test. */
export async function useDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'masquerade-db-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** An open database in a real file; several calls with one `path` open the same file. */
export async function useDatabase(path?: string): Promise<Database> {
  const file = path ?? join(await useDirectory(), 'test.db');
  const database = await openDatabase({ url: `sqlite:${file}` });
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}
