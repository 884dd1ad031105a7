declare const microUsd: unique symbol;

/** A whole number of micro-dollars (1 USD = 1,000,000), safe up to 9 billion dollars. */
export type MicroUsd = number & { readonly [microUsd]: true };

const MICROS_PER_USD = 1_000_000;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Checks that `value` is a whole, safe number of micro-dollars. Throws `RangeError` otherwise. */
export function micros(value: number): MicroUsd {
  if (!Number.isSafeInteger(value)) throw new RangeError(`Cannot use ${value} as whole micro-dollars`);
  return (value === 0 ? 0 : value) as MicroUsd;
}

export const ZERO: MicroUsd = micros(0);

/**
 * Parses dollars from decimal text, or from the shortest decimal text of a JSON number, by digit arithmetic only.
 * Rounds to a micro-dollar, with halves away from zero. Throws `RangeError` if the text is not a decimal number.
 */
export function parseUsd(value: string | number): MicroUsd {
  const match = DECIMAL.exec(String(value));
  if (!match) throw new RangeError('Cannot read an amount: not a decimal number');
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const pointAt = whole.length + Number(exponent) + 6;
  if (pointAt < 0) return ZERO;
  const padded = digits.padEnd(pointAt, '0');
  let amount = BigInt(padded.slice(0, pointAt) || '0');
  if ((padded[pointAt] ?? '0') >= '5') amount += 1n;
  return micros(Number(sign === '-' ? -amount : amount));
}

/** Returns the amount in dollars, as a number for JSON. Its shortest decimal text is exactly the amount. */
export function toUsdNumber(amount: MicroUsd): number {
  return amount / MICROS_PER_USD;
}

/** Returns text such as `$1.20` or `$0.012345`, always exact and with at least two decimals. */
export function formatUsd(amount: MicroUsd): string {
  const absolute = Math.abs(amount);
  const whole = Math.trunc(absolute / MICROS_PER_USD);
  const fraction = String(absolute % MICROS_PER_USD)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${amount < 0 ? '-' : ''}$${whole.toLocaleString('en-US')}.${fraction}`;
}

export function addMicros(...amounts: readonly MicroUsd[]): MicroUsd {
  return micros(amounts.reduce((sum, amount) => sum + amount, 0));
}

export function subtractMicros(from: MicroUsd, amount: MicroUsd): MicroUsd {
  return micros(from - amount);
}

/**
 * Returns `rate x units`, rounded half up to a whole micro-dollar. A fractional number of units (seconds, images) is
 * first rounded to thousandths.
 */
export function scaleMicros(rate: MicroUsd, units: number): MicroUsd {
  if (!(units >= 0) || !Number.isFinite(units)) throw new RangeError(`Cannot bill ${units} units`);
  const milliUnits = BigInt(Math.round(units * 1000));
  return micros(Number((BigInt(rate) * milliUnits + 500n) / 1000n));
}

export function maxMicros(a: MicroUsd, b: MicroUsd): MicroUsd {
  return a > b ? a : b;
}

/** Rounds an approximate amount to whole cents, or to two significant digits if it is below ten cents. */
export function aboutMicros(amount: MicroUsd): MicroUsd {
  const digits = String(Math.abs(amount)).length;
  const unit = Math.min(10_000, 10 ** Math.max(0, digits - 2));
  return micros(Math.round(amount / unit) * unit);
}
