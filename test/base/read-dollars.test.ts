import { expect, test } from 'vitest';
import { readDollars } from '../../src/base/read-dollars.ts';

test.each([
  ['0.30', 300_000],
  ['$5', 5_000_000],
  [' $ 5 ', 5_000_000],
  ['5$', 5_000_000],
  ['US$5', 5_000_000],
  ['12 usd', 12_000_000],
  ['.5', 500_000],
  ['5.', 5_000_000],
  ['0', 0],
  ['0.000001', 1],
  ['0.1000000000', 100_000],
  ['007', 7_000_000],
  ['1000000', 1_000_000_000_000],
])('reads %j', (text, amount) => {
  expect(readDollars(text)).toEqual({ amount });
});

test.each([
  ['1,50', 'comma'],
  ['1,000', 'comma'],
  ['1,000.50', 'comma'],
  [',5', 'comma'],
  ['-1', 'negative'],
  ['-$1', 'negative'],
  ['\u22121', 'negative'],
  ['0.0000001', 'too_fine'],
  ['1000000.01', 'too_large'],
  ['999999999999', 'too_large'],
  ['1e9', 'not_an_amount'],
  ['NaN', 'not_an_amount'],
  ['Infinity', 'not_an_amount'],
  ['0x10', 'not_an_amount'],
  ['', 'not_an_amount'],
  ['$', 'not_an_amount'],
  ['.', 'not_an_amount'],
  [',', 'not_an_amount'],
  ['five', 'not_an_amount'],
  ['5 €', 'not_an_amount'],
  ['1 000', 'not_an_amount'],
  ['\u0665', 'not_an_amount'],
  ['9'.repeat(6_000), 'not_an_amount'],
])('explains what is wrong with %.20j', (text, problem) => {
  expect(readDollars(text)).toEqual({ problem });
});
