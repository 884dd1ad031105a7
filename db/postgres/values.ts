import { type CustomTypesConfig, types } from 'pg';

/** `int8` and `numeric`. */
const WHOLE_NUMBERS: readonly number[] = [20, 1700];

/** How values of PostgreSQL are read: whole numbers as JavaScript ones, or not at all where they would lose digits. */
export const POSTGRES_VALUES: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (WHOLE_NUMBERS.includes(oid)) return toSafeNumber;
    return types.getTypeParser(oid, format);
  },
};

function toSafeNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new RangeError('Cannot read a number of the database: it is too large to be exact');
}
