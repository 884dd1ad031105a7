import { stat } from 'node:fs/promises';
import { systemErrorCode } from './errors.ts';

/** Whether a file or folder exists at `path`. Throws the system error if this cannot be determined. */
export async function pathExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
