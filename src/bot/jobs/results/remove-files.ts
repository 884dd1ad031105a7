import { rm } from 'node:fs/promises';

/** Removes the files at these paths. Skips null and files that do not exist. */
export async function removeFiles(paths: readonly (string | null)[]): Promise<void> {
  for (const path of paths) if (path !== null) await rm(path, { force: true });
}
