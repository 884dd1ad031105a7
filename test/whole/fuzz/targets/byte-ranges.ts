import { readByteRange } from '../../../../src/base/byte-range.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const SIZES_BYTES = [0, 1, 2, 1_000, 2 ** 32, Number.MAX_SAFE_INTEGER];

/** `Range` headers for files of several sizes. */
export const byteRanges: FuzzTarget = {
  name: 'byte-ranges',
  generate(random) {
    const ranges = Array.from(
      { length: random.happens(15) ? random.int(0, 200) : 1 },
      () => `${number(random)}-${number(random)}`,
    );
    if (random.happens(40))
      return Buffer.from(`bytes=${random.int(0, 999)}-${random.pick(['', '1000', '99999'])}`);
    const unit = random.happens(90) ? 'bytes=' : random.pick(['bytes', 'Bytes=', 'items=', '', 'bytes= ']);
    return Buffer.from(`${unit}${ranges.join(random.pick([',', ', ']))}`);
  },
  run(input) {
    const header = input.toString('latin1');
    const ranges = SIZES_BYTES.map((sizeBytes) => {
      const range = readByteRange(header, sizeBytes);
      if (typeof range === 'object') {
        const { first, last } = range;
        demand(0 <= first && first <= last && last < sizeBytes, 'a range extends beyond its file');
      }
      return range;
    });
    return ranges.some((range) => typeof range === 'object') ? 'accepted' : 'refused';
  },
};

function number(random: Random): string {
  return random.pick([
    '',
    '0',
    '1',
    '5',
    '999',
    '1000',
    String(random.hostileInt(32)),
    '9'.repeat(random.int(1, 40)),
    '-1',
    '1e3',
    '0x10',
    ' 1',
  ]);
}
