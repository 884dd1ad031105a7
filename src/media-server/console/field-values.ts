import { type AmountProblem, DOLLARS_MAX, readDollars } from '../../base/read-dollars.ts';
import { type MicroUsd, formatUsd } from '../../base/money.ts';
import { refuseField } from './console-refusal.ts';

const PROBLEMS: Readonly<Record<AmountProblem, string>> = {
  not_an_amount: 'Please write dollars such as 5, 0.04 or 0.000125.',
  comma: 'Please write the amount without commas, with a point before the cents: 1250.50.',
  negative: 'Please write an amount of 0 or more.',
  too_fine: 'Please write at most six decimals: a micro-dollar is the smallest amount there is.',
  too_large: `Please write an amount of at most ${formatUsd(DOLLARS_MAX)}.`,
};

/** Parses an amount that a user typed. Throws `ConsoleRefusal` for the field. */
export function readAmount(text: string, field: string): MicroUsd {
  const read = readDollars(text);
  if ('amount' in read) return read.amount;
  throw refuseField(field, PROBLEMS[read.problem]);
}

/** Parses a whole number in this range that a user typed. Throws `ConsoleRefusal` for the field. */
export function readNumber(
  text: string,
  field: string,
  { min = 1, max }: { readonly min?: number; readonly max: number },
): number {
  const bare = text.trim();
  if (/^\d{1,7}$/.test(bare) && Number(bare) >= min && Number(bare) <= max) return Number(bare);
  throw refuseField(field, `Please write a whole number from ${min} to ${max.toLocaleString('en-US')}.`);
}

/** Finds the row whose name a user typed. Throws `ConsoleRefusal` for the field, with all the possible names. */
export function readOneOf<Row>(
  text: string,
  field: string,
  known: readonly Row[],
  nameOf: (row: Row) => string,
): Row {
  const found = known.find((row) => nameOf(row) === text);
  if (found !== undefined) return found;
  throw refuseField(field, `There is no such ${field}; there are ${known.map(nameOf).join(', ')}.`);
}

/** Parses a display name. Throws `ConsoleRefusal`. */
export function readLabel(text: string): string {
  const bare = text.trim();
  if (/^[^\p{Cc}]{1,100}$/u.test(bare)) return bare;
  throw refuseField('name', 'Please write a name of 1 to 100 characters on one line.');
}
