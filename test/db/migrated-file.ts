import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../db/database.ts';

let bytes: Promise<Uint8Array> | undefined;

/**
 * Creates an empty, migrated SQLite file at `path` unless it exists. Copying a migrated file takes 25 ms less
 * processor time than migrating a new one.
 */
export async function putMigrated(path: string): Promise<void> {
  bytes ??= migrated();
  await writeFile(path, await bytes, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function migrated(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'masquerade-'));
  try {
    const path = join(folder, 'template.db');
    await (await openDatabase({ url: `sqlite:${path}` }))[Symbol.asyncDispose]();
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}
