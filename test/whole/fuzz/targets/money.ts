import { readDollars } from '../../../../src/base/read-dollars.ts';
import { formatUsd, parseUsd, toUsdNumber } from '../../../../src/base/money.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const SIGNS = ['', '', '', '', '$', 'US$', '$ ', '-', '\u2212', '-$', '+', '€'];
const ENDS = ['', '', '', '', '$', ' USD', 'usd', '%', ' $$'];

/** Amounts as members enter them and as services write them. */
export const money: FuzzTarget = {
  name: 'money',
  generate: (random) => Buffer.from(`${random.pick(SIGNS)}${digits(random)}${random.pick(ENDS)}`),
  run(input) {
    const text = input.toString('utf8');
    const typed = readDollars(text);
    if ('amount' in typed) {
      demand(Number.isSafeInteger(typed.amount) && typed.amount >= 0, 'an amount is not a whole number');
      demand(typed.amount <= 1_000_000_000_000, 'an amount exceeds the maximum');
      const shown = readDollars(formatUsd(typed.amount).replaceAll(',', ''));
      demand('amount' in shown && shown.amount === typed.amount, 'a displayed amount is read as another one');
    }
    const amount = parsed(text);
    if (amount === undefined) return 'amount' in typed ? 'accepted' : 'refused';
    demand(Number.isSafeInteger(amount), 'an amount is not a whole number');
    demand(parseUsd(toUsdNumber(amount)) === amount, 'a written amount is read as another one');
    return 'accepted';
  },
};

function parsed(text: string): ReturnType<typeof parseUsd> | undefined {
  try {
    return parseUsd(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function digits(random: Random): string {
  const whole = String(random.hostileInt(random.pick([8, 16, 32]))).slice(0, random.int(1, 9));
  const long = '9'.repeat(random.count(2_000));
  if (random.happens(35)) return `${random.int(0, 100)}.${random.int(0, 99)}`;
  return random.pick([
    whole,
    `${whole}.${random.int(0, 999_999)}`,
    `${whole}.5`,
    `.${whole}`,
    `${whole}.`,
    `0${whole}.000000${whole}`,
    `${whole},50`,
    `1e${random.int(-30, 30)}`,
    `${whole}e-3`,
    long,
    `${long}.${long}`,
    '',
    '.',
    'NaN',
    'Infinity',
    '0x10',
  ]);
}
