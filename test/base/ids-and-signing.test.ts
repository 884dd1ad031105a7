import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { derivedId, randomId } from '../../src/base/ids.ts';
import { equalHex, equalSecret, hmacHex, signDelivery } from '../../src/base/signing.ts';

test('random ids have one format and never repeat', () => {
  const ids = Array.from({ length: 1000 }, () => randomId('job'));
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every((id) => /^job_[a-z2-7]{32}$/.test(id))).toBe(true);
});

test('derived ids depend on their parts and on the boundaries between the parts', () => {
  expect(derivedId('n', 'ab', 'c')).toBe(derivedId('n', 'ab', 'c'));
  expect(derivedId('n', 'ab', 'c')).not.toBe(derivedId('n', 'a', 'bc'));
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      expect(derivedId('n', ...a) === derivedId('n', ...b)).toBe(same);
    }),
  );
  expect(derivedId('n', 'x')).toMatch(/^n_[a-z2-7]{25}$/);
});

test('a digest is the same whether its text comes in one part or several', () => {
  const expected = createHmac('sha256', 'secret').update('1700000000.body').digest('hex');
  expect(hmacHex('secret', '1700000000.', Buffer.from('body'))).toBe(expected);
  expect(signDelivery('secret', 1_700_000_000, Buffer.from('body'))).toBe(`t=1700000000,v1=${expected}`);
});

test.each([
  ['abcd', 'abcd', true],
  ['abcd', 'ABCD', true],
  ['abcd', 'abce', false],
  ['abcd', 'abc', false],
  ['abcd', 'abcde', false],
  ['abcd', 'abcx', false],
  ['abcd', '', false],
  ['', '', false],
])('hex %j and %j are equal: %s', (expected, received, equal) => {
  expect(equalHex(expected, received)).toBe(equal);
});

test('compares secrets of any length', () => {
  expect([equalSecret('a', 'a'), equalSecret('', ''), equalSecret('a', 'ab'), equalSecret('a', 'b')]).toEqual(
    [true, true, false, false],
  );
});
