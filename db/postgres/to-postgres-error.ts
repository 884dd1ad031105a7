import { systemErrorCode } from '../../src/base/errors.ts';
import { DatabaseError } from '../database-error.ts';

/** Codes of conflicts with another transaction: nothing was committed, and a repeat can succeed. */
const CONFLICT = /^(40001|40P01)$/;
/**
 * Codes of a connection that ended or could not be opened, because of the network, a server shutdown, a server
 * administrator, or a timeout.
 */
const LOST =
  /^(08...|57P0[1-5]|25P0[34]|53300|EPIPE|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ECONN\w+|ETIMEDOUT)$/;
/** Messages of `pg` errors that have no code. */
const LOST_WORDS =
  /Connection terminated|connection error|timeout (expired|exceeded)|Query read timeout|not queryable/i;
const TOO_SLOW = /^(55P03|57014)$/;
const DENIED = /^(28...|3D000|3F000|42501)$/;

/** Whether the transaction failed because of a conflict with another one, so that it can be repeated. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(codeOf(error));
}

/** Whether the connection is lost or was never made. */
export function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === 'unreachable';
  if (error instanceof AggregateError) return error.errors.some(isLost);
  const code = codeOf(error);
  return code === '' ? error instanceof Error && LOST_WORDS.test(error.message) : LOST.test(code);
}

/**
 * Converts an error that makes PostgreSQL unusable to a `DatabaseError`. Returns any other error, such as one in the
 * statement, as it is, except that row values are removed from a PostgreSQL error.
 */
export function toPostgresError(server: string, error: unknown): unknown {
  if (error instanceof DatabaseError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const because = code === '' ? '' : ` (${code})`;
  if (isLost(error)) {
    const text = `Cannot reach PostgreSQL at ${server}: it does not answer, or ended the connection${because}`;
    return new DatabaseError('unreachable', text, { cause: error });
  }
  if (TOO_SLOW.test(code)) {
    const text = `Cannot use PostgreSQL at ${server}: another transaction keeps it locked${because}`;
    return new DatabaseError('locked', text, { cause: error });
  }
  if (DENIED.test(code)) {
    const text = `Cannot use PostgreSQL at ${server}: it denies this user, database or action${because}`;
    return new DatabaseError('denied', text, { cause: error });
  }
  // These fields quote row values.
  if ('detail' in error) Object.assign(error, { detail: undefined, where: undefined });
  return error;
}

function codeOf(error: unknown): string {
  return systemErrorCode(error) ?? '';
}
