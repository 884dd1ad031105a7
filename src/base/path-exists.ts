import { stat } from 'node:fs/promises';
import { systemErrorCode } from './errors.ts';

/** Whether there is a file or folder at `path`. Throws the system's error when that cannot be told. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
