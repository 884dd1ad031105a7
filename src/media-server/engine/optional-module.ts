/**
 * Waits for a dynamic import of the optional peer `name`. Throws an error that names the package: how to get it where
 * it is not installed, and where it is that it does not load, such as for want of a binary for this platform.
 */
export async function optionalModule<T>(name: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw isInstalled(name) ? unloadableModule(name, error) : missingModule(name, error);
  }
}

/** What to throw when the optional peer `name` cannot be resolved. */
export function missingModule(name: string, cause: unknown): Error {
  return new Error(`Cannot run the media engine: install the optional package "${name}"`, { cause });
}

/** Loaders list where they looked, and what might help, on further lines. */
function unloadableModule(name: string, cause: unknown): Error {
  const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  const platform = `${process.platform} ${process.arch}`;
  return new Error(
    `Cannot run the media engine: the optional package "${name}" is installed but does not load on ${platform}: ${reason}`,
    { cause },
  );
}

/** Errors do not tell: a package that lacks a file of its own fails with the same code as one that is missing. */
function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
