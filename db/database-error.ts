import { ServiceError, systemErrorCode } from '../src/base/errors.ts';
import { FolderError } from '../src/base/make-folder.ts';

type DatabaseErrorCode =
  | 'unwritable'
  | 'locked'
  | 'corrupt'
  | 'too_new'
  | 'unsupported'
  | 'unreachable'
  | 'denied';

/**
 * The database cannot be used. `unwritable`: its file or folder cannot be written to; `locked`: another connection held
 * the lock longer than allowed (worth a retry); `corrupt`: not a database of this program; `too_new`: written by a
 * newer version; `unsupported`: a kind of database that this version does not support; `unreachable`: the server does
 * not answer or the connection broke (worth a retry); `denied`: the server refuses the login or the action.
 */
export class DatabaseError extends ServiceError<DatabaseErrorCode> {}

/**
 * Converts an error that SQLite or the file system threw while opening `path` to a `DatabaseError`. Returns other
 * errors unchanged.
 */
export function toDatabaseError(path: string, error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  const code = systemErrorCode(error instanceof FolderError ? error.cause : error) ?? '';
  if (isBusy(error)) {
    return new DatabaseError('locked', `Cannot use database "${path}": another process keeps it locked`, {
      cause: error,
    });
  }
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new DatabaseError('corrupt', `Cannot open database "${path}": it is not an intact SQLite file`, {
      cause: error,
    });
  }
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|AUTH|FULL|IOERR)|E[A-Z]+$)/.test(code)) {
    return new DatabaseError('unwritable', `Cannot open database "${path}": it cannot be written (${code})`, {
      cause: error,
    });
  }
  return error;
}

/** Whether SQLite gave up because another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(systemErrorCode(error) ?? '');
}
