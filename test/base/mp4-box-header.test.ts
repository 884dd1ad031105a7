import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mp4BoxHeader } from '../../src/base/mp4-box-header.ts';

function header(size: number, type: string, longSize?: bigint): DataView {
  const bytes = Buffer.alloc(longSize === undefined ? 8 : 16);
  bytes.writeUInt32BE(size);
  bytes.write(type, 4, 'latin1');
  if (longSize !== undefined) bytes.writeBigUInt64BE(longSize, 8);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

test('a short header contains the size, or 0 for a box that ends with the file', () => {
  expect(mp4BoxHeader(header(24, 'moov'), 0, 100)).toEqual({ type: 'moov', headerBytes: 8, sizeBytes: 24 });
  expect(mp4BoxHeader(header(0, 'mdat'), 0, 100)).toEqual({ type: 'mdat', headerBytes: 8, sizeBytes: 100 });
});

test('a long header contains the size of a box of 8 GiB', () => {
  const long = header(1, 'mdat', 2n ** 33n);
  expect(mp4BoxHeader(long, 0, 16)).toEqual({ type: 'mdat', headerBytes: 16, sizeBytes: 2 ** 33 });
});

test('rejects a truncated header and a box smaller than its header', () => {
  expect(mp4BoxHeader(header(24, 'moov'), 1, 100)).toBeUndefined();
  expect(mp4BoxHeader(header(1, 'mdat'), 0, 100)).toBeUndefined();
  expect(mp4BoxHeader(header(7, 'moov'), 0, 100)).toBeUndefined();
  expect(mp4BoxHeader(header(1, 'mdat', 15n), 0, 100)).toBeUndefined();
});

test('a header of arbitrary bytes never exceeds its box', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), fc.nat(20), fc.nat(1_000), (bytes, at, leftBytes) => {
      const found = mp4BoxHeader(new DataView(bytes.buffer), at, leftBytes);
      if (!found) return;
      expect(at + found.headerBytes).toBeLessThanOrEqual(bytes.length);
      expect(found.sizeBytes).toBeGreaterThanOrEqual(found.headerBytes);
    }),
  );
});
