import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type MicroUsd,
  aboutMicros,
  addMicros,
  formatUsd,
  maxMicros,
  micros,
  parseUsd,
  scaleMicros,
  subtractMicros,
  toUsdNumber,
} from '../../src/base/money.ts';

const amount = fc.maxSafeInteger().map(micros);
const price = fc.integer({ min: 0, max: 1_000_000_000 }).map(micros);

/** Returns the exact decimal text of an amount, computed without the code under test. */
function decimal(value: MicroUsd): string {
  const digits = String(Math.abs(value)).padStart(7, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

test('every amount survives conversion to decimal text and back', () => {
  fc.assert(
    fc.property(amount, (value) => {
      expect(parseUsd(decimal(value))).toBe(value);
    }),
  );
});

test('every amount up to a billion dollars survives conversion to a JSON number and back', () => {
  const upToABillion = fc.integer({ min: -1e15, max: 1e15 }).map(micros);
  fc.assert(
    fc.property(upToABillion, (value) => {
      const received: unknown = JSON.parse(JSON.stringify(toUsdNumber(value)));
      expect(parseUsd(received as number)).toBe(value);
    }),
  );
});

test('every amount survives conversion to displayed text and back', () => {
  fc.assert(
    fc.property(amount, (value) => {
      expect(parseUsd(formatUsd(value).replace(/[$,]/g, ''))).toBe(value);
    }),
  );
});

test.each([
  ['0.1', 100_000],
  [0.1 + 0.2, 300_000],
  [1.005, 1_005_000],
  ['1e-6', 1],
  ['0.0000005', 1],
  ['0.00000049', 0],
  ['-0.0000005', -1],
  ['-0', 0],
  ['007', 7_000_000],
  [1e-7, 0],
  [1.5e3, 1_500_000_000],
  ['1e-30', 0],
])('%s is %i micro-dollars', (text, expected) => {
  expect(parseUsd(text)).toBe(expected);
});

test.each([
  '',
  ' 1',
  '1 ',
  '+1',
  '.5',
  '5.',
  '1,5',
  '0x10',
  'NaN',
  NaN,
  Infinity,
  '1e400',
  '1e99',
  '1e12',
  '--1',
])('rejects %s as an amount', (text) => {
  expect(() => parseUsd(text)).toThrow(RangeError);
});

test.each([0.5, NaN, Infinity, 2 ** 53])('%s is not a whole number of micro-dollars', (value) => {
  expect(() => micros(value)).toThrow(RangeError);
});

test('sums are exact and never leave the safe range', () => {
  fc.assert(
    fc.property(price, price, (a, b) => {
      expect(subtractMicros(addMicros(a, b), b)).toBe(a);
      expect(maxMicros(a, b)).toBe(Math.max(a, b));
    }),
  );
  expect(() => addMicros(micros(Number.MAX_SAFE_INTEGER), micros(1))).toThrow(RangeError);
});

test('a price times units is exact to a thousandth of a unit, rounded half up', () => {
  fc.assert(
    fc.property(price, fc.integer({ min: 0, max: 10_000_000 }), (rate, milliUnits) => {
      const exact = (BigInt(rate) * BigInt(milliUnits) * 2n + 1000n) / 2000n;
      expect(scaleMicros(rate, milliUnits / 1000)).toBe(Number(exact));
    }),
  );
});

test.each([-1, NaN, Infinity])('rejects %s as a number of units', (units) => {
  expect(() => scaleMicros(micros(1), units)).toThrow(RangeError);
});

test.each([
  [0, '$0.00'],
  [1_200_000, '$1.20'],
  [12_345, '$0.012345'],
  [-500_000, '-$0.50'],
  [1_234_567_890_000, '$1,234,567.89'],
])('%i micro-dollars are displayed as %s', (value, text) => {
  expect(formatUsd(micros(value))).toBe(text);
});

test.each([
  [1_234_567, 1_230_000],
  [995_000, 1_000_000],
  [123_456, 120_000],
  [86_499, 86_000],
  [7_664, 7_700],
  [9, 9],
  [0, 0],
])('about %i micro-dollars are displayed as %i', (amount, about) => {
  expect(aboutMicros(micros(amount))).toBe(about);
});
