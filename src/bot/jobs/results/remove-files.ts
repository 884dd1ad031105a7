import { rm } from 'node:fs/promises';

/** Removes the files at these paths; null, and a file that is not there, are skipped. */
export async function removeFiles(paths: readonly (string | null)[]): Promise<void> {
  for (const path of paths) if (path !== null) await rm(path, { force: true });
}
