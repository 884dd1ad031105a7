import type { Hand } from './hand.ts';
import { le16, le32, tag, u16, u32 } from './numbers.ts';

const ORIENTATION = 0x0112;
const GPS = 0x8825;
const ENTRY_BYTES = 12;

/**
 * Writes a TIFF structure in either byte order, with words and offsets, and sometimes with the orientation or false
 * values.
 */
export function tiff(hand: Hand, place: string): Buffer {
  const { random } = hand;
  const isLittle = random.happens(50);
  const n16 = isLittle ? le16 : u16;
  const n32 = isLittle ? le32 : u32;
  const words = hand.words(place);
  const tags = [
    0x010f,
    0x0110,
    0x9286,
    GPS,
    ...(random.happens(60) ? [ORIENTATION] : []),
    ...hand.times(4, () => n16(random.int(0, 0xffff))).map((bytes) => bytes.readUInt16LE()),
  ];
  const bodyAt = 8 + 2 + tags.length * ENTRY_BYTES + 4;
  const entries = tags.map((id) =>
    id === ORIENTATION
      ? Buffer.concat([
          n16(id),
          n16(3),
          n32(hand.number(1, 32)),
          n16(hand.number(random.int(0, 9), 16)),
          n16(0),
        ])
      : Buffer.concat([n16(id), n16(2), n32(hand.number(words.length, 32)), n32(hand.number(bodyAt, 32))]),
  );
  return Buffer.concat([
    tag(isLittle ? 'II' : 'MM'),
    n16(hand.number(42, 16)),
    n32(hand.number(8, 32)),
    n16(hand.number(tags.length, 16)),
    ...entries,
    n32(hand.number(0, 32)),
    words,
  ]);
}
