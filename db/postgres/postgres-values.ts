import { type CustomTypesConfig, types } from 'pg';

const { INT8, NUMERIC } = types.builtins;

/**
 * Parses PostgreSQL values: whole numbers become JavaScript numbers. Throws `RangeError` for a number that would lose
 * digits.
 */
export const POSTGRES_VALUES: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8 || oid === NUMERIC) return toSafeNumber;
    return types.getTypeParser(oid, format);
  },
};

function toSafeNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new RangeError('Cannot read a number of the database: it is too large to be exact');
}
