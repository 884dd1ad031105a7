import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ServiceError } from '../../base/errors.ts';

/**
 * Locks a data folder for one server at a time. The lock ends with its process. Other processes can still administer
 * the server and count requests. Throws `data_dir_in_use`.
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
