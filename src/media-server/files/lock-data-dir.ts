import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ServiceError } from '../../base/errors.ts';

/**
 * Locks a data folder for one server at a time. The lock ends with the server's process. Other processes, such as the
 * console, can still use the database in the folder. Throws `data_dir_in_use` if another server holds the lock.
 */
export function lockDataDir(dataDir: string): Disposable {
  const lock = new Sqlite(join(dataDir, 'server.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new ServiceError(
      'data_dir_in_use',
      'Cannot start the media server: another one uses its data folder',
      {
        cause: error,
      },
    );
  }
  return { [Symbol.dispose]: () => void lock.close() };
}
