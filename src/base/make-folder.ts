import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ServiceError, systemErrorCode } from './errors.ts';
import { pathExists } from './path-exists.ts';

/** A folder is missing and cannot be created. `cause` is the system's error. */
export class FolderError extends ServiceError<'folder_unusable'> {}

/**
 * Creates the folder, and those above it, if they are missing. Only this user can read them. Throws `FolderError` with
 * a one-line message that names the folder. (With Node's own `recursive` option, a call for a missing folder below
 * `/proc`, where it cannot be created, never returns.)
 */
export async function makeFolder(path: string): Promise<void> {
  const full = resolve(path);
  try {
    await makeWithParents(full);
  } catch (error) {
    const code = systemErrorCode(error) ?? 'unknown';
    throw new FolderError('folder_unusable', `Cannot use the folder "${path}": ${code}`, { cause: error });
  }
}

async function makeWithParents(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await pathExists(parent))) throw error;
    await makeWithParents(parent);
    await makeWithParents(path);
  }
}
