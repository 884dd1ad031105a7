import { systemErrorCode } from '../../base/errors.ts';

/**
 * Waits for a dynamic import of the optional peer `name`. Throws an error that names the package and how
 * to get it when it is not installed; any other failure passes unchanged.
 */
export async function optionalModule<T>(name: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw isMissing(error) ? missingModule(name, error) : error;
  }
}

/** What to throw when the optional peer `name` cannot be resolved. */
export function missingModule(name: string, cause: unknown): Error {
  return new Error(`Cannot run the media engine: install the optional package "${name}"`, { cause });
}

function isMissing(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
