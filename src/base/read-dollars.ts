import { type MicroUsd, parseUsd } from './money.ts';

/** The reason why text is not a valid amount. */
export type AmountProblem = 'not_an_amount' | 'comma' | 'negative' | 'too_fine' | 'too_large';

/** The largest amount that can be set, or added in one step. */
export const DOLLARS_MAX: MicroUsd = parseUsd('1000000');

const SIGNS = /^(?:US)?\$\s?|\s?(?:\$|USD)$/gi;
const AMOUNT = /^(\d{1,12})?(?:\.(\d{1,20})?)?$/;
const DECIMALS_MAX = 6;
/** The number of digits of `DOLLARS_MAX`. */
const DIGITS_MAX = 7;

/**
 * Parses dollars that a user typed, such as `0.30`, `$5` or `12 USD`. Commas are rejected, because they separate
 * thousands for some users and cents for others.
 */
export function readDollars(
  text: string,
): { readonly amount: MicroUsd } | { readonly problem: AmountProblem } {
  const bare = text.trim().replace(SIGNS, '').trim();
  if (/^[-\u2212]\s?(?:US)?\$?\s?[\d.,]+$/i.test(bare)) return { problem: 'negative' };
  if (/^[\d.,]*\d,[\d.,]*$|^[\d.]*,[\d.,]+$/.test(bare)) return { problem: 'comma' };
  const [, whole = '', fraction = ''] = AMOUNT.exec(bare) ?? [];
  if (whole === '' && fraction === '') return { problem: 'not_an_amount' };
  if (fraction.replace(/0+$/, '').length > DECIMALS_MAX) return { problem: 'too_fine' };
  if (whole.replace(/^0+/, '').length > DIGITS_MAX) return { problem: 'too_large' };
  const amount = parseUsd(`0${whole}.${fraction}0`);
  return amount > DOLLARS_MAX ? { problem: 'too_large' } : { amount };
}
