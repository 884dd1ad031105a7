import { describe, expect, test } from 'vitest';
import { boxAt, boxesIn, findBox } from '../../../../src/media-server/engine/codec/mp4-boxes.ts';

function view(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function box(type: string, ...inside: Buffer[]): Buffer {
  const body = Buffer.concat(inside);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

function longBox(type: string, size: bigint, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1);
  header.write(type, 4, 'latin1');
  header.writeBigUInt64BE(size, 8);
  return Buffer.concat([header, body]);
}

const WORDS = Buffer.from('words');

test('boxes are returned one after the other, including long ones', () => {
  const bytes = Buffer.concat([box('free'), longBox('mdat', 21n, WORDS), box('moov', WORDS)]);
  expect([...boxesIn(view(bytes))]).toEqual([
    { type: 'free', start: 0, bodyStart: 8, size: 8 },
    { type: 'mdat', start: 8, bodyStart: 24, size: 21 },
    { type: 'moov', start: 29, bodyStart: 37, size: 13 },
  ]);
});

test('a box of size 0 extends to the end, and one of 8 GB is read from its header alone', () => {
  const open = Buffer.concat([Buffer.alloc(4), Buffer.from('mdat'), WORDS]);
  expect(boxAt(view(open), 0, 13)).toMatchObject({ type: 'mdat', size: 13 });
  const size = 2n ** 33n;
  expect(boxAt(view(longBox('mdat', size, WORDS)), 0, 16)).toMatchObject({ size: Number(size) });
});

test('a box is found by its path, behind others and in a long one', () => {
  const inner = longBox('trak', 37n, box('mdia', box('mdhd', WORDS)));
  const found = findBox(view(Buffer.concat([box('free', WORDS), inner])), ['trak', 'mdia', 'mdhd']);
  expect(found && Buffer.from(found.buffer, found.byteOffset, found.byteLength).toString()).toBe('words');
  expect(findBox(view(inner), ['trak', 'minf'])).toBeUndefined();
});

describe('damaged boxes are rejected:', () => {
  const short = box('moov', WORDS);
  short.writeUInt32BE(7);
  const far = box('moov', WORDS);
  far.writeUInt32BE(14);

  test.each([
    ['a size below the header', short],
    ['a size beyond the end', far],
    ['a long size that is cut off', longBox('moov', 21n, WORDS).subarray(0, 12)],
    ['a long size below the long header', longBox('moov', 15n, WORDS)],
  ])('%s', (_name, bytes) => {
    expect(() => [...boxesIn(view(bytes))]).toThrow('Cannot read a clip: it is damaged');
    expect(() => findBox(view(bytes), ['trak'])).toThrow('Cannot read a clip: it is damaged');
  });
});
