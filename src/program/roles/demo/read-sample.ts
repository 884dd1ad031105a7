import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ServiceError, systemErrorCode } from '../../../base/errors.ts';

/** A sample file that a member can attach. */
export interface SampleFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads one of the repository's sample files. Throws `ServiceError` if it does not exist; the published package
 * contains none.
 */
export async function readSample(name: string): Promise<SampleFile> {
  const path = fileURLToPath(new URL(`../../../../test/samples/${name}`, import.meta.url));
  try {
    return { name, path, bytes: await readFile(path) };
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new ServiceError(
      'no_samples',
      'Cannot run the demo: its sample media exist only in the repository',
    );
  }
}
