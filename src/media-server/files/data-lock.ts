import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ServiceError } from '../../base/errors.ts';

/**
 * Lets one server at a time run on a data folder; the lock dies with its process. Administration and rate
 * counting from other processes stay possible. Throws `data_dir_in_use`.
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
