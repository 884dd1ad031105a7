import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readByteRange } from '../../src/base/byte-range.ts';

test.each([
  [undefined, 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=5-2', 10, undefined],
  ['bytes=0-1,5-6', 10, undefined],
  ['pages=1-2', 10, undefined],
  ['bytes=0-99', 10, { first: 0, last: 9 }],
  ['bytes=2-', 10, { first: 2, last: 9 }],
  ['bytes=-99', 10, { first: 0, last: 9 }],
  ['bytes=-3', 10, { first: 7, last: 9 }],
  ['Bytes= 2-4 ', 10, { first: 2, last: 4 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
])('the range %s of %i bytes is read as RFC 9110 says', (header, sizeBytes, range) => {
  expect(readByteRange(header, sizeBytes)).toEqual(range);
});

test('a range never reaches beyond the file', () => {
  const end = fc.option(fc.nat(1_000), { nil: '' });
  fc.assert(
    fc.property(end, end, fc.nat(500), (from, to, sizeBytes) => {
      const range = readByteRange(`bytes=${from}-${to}`, sizeBytes);
      if (typeof range !== 'object') return;
      expect(range.first).toBeGreaterThanOrEqual(0);
      expect(range.last).toBeGreaterThanOrEqual(range.first);
      expect(range.last).toBeLessThan(sizeBytes);
    }),
  );
});
