/**
 * Awaits a dynamic import of the optional peer `name`. Throws an error that names the package and says that it must be
 * installed, or why it cannot be loaded, for example because there is no binary for this platform.
 */
export async function optionalModule<T>(name: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    throw isInstalled(name) ? unloadableModule(name, error) : missingModule(name, error);
  }
}

/** Returns the error for an optional peer that cannot be resolved. */
export function missingModule(name: string, cause: unknown): Error {
  return new Error(`Cannot run the media engine: install the optional package "${name}"`, { cause });
}

/**
 * Only the first line of the message is used. In further lines, loaders list where they searched and what
 * might help.
 */
function unloadableModule(name: string, cause: unknown): Error {
  const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
  const platform = `${process.platform} ${process.arch}`;
  return new Error(
    `Cannot run the media engine: the optional package "${name}" is installed but does not load on ${platform}: ${reason}`,
    { cause },
  );
}

/**
 * Returns whether the package itself is present. The error code alone does not show this, because a package that lacks
 * one of its own files fails with the same code as a missing package.
 */
function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
