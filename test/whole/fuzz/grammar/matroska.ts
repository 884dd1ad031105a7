import type { Hand } from './hand.ts';
import { tag, u16, u32, u64, u8 } from './numbers.ts';

/**
 * Writes an element. A dishonest hand falsifies its size or leaves it unknown; any hand may write the size
 * longer than necessary.
 */
export function element(hand: Hand, id: number, ...body: readonly Buffer[]): Buffer {
  const content = Buffer.concat(body);
  return Buffer.concat([idOf(id), sizeOf(hand, content.length), content]);
}

/** Writes an element of unknown size, which ends where the next element at its level starts. */
export function openElement(id: number, width: number, ...body: readonly Buffer[]): Buffer {
  return Buffer.concat([idOf(id), unknownSize(width), ...body]);
}

/** Writes an element that contains a whole number, in as few bytes as possible or with leading zeros. */
export function numberElement(hand: Hand, id: number, value: number): Buffer {
  const bytes = u64(hand.number(value, 32));
  return element(
    hand,
    id,
    bytes.subarray(hand.random.pick([0, 4, value < 256 ? 7 : value < 65_536 ? 6 : 4])),
  );
}

function idOf(id: number): Buffer {
  const bytes = u32(id);
  return bytes.subarray(bytes.findIndex((byte) => byte > 0));
}

function sizeOf(hand: Hand, size: number): Buffer {
  const { random } = hand;
  if (hand.lies(2)) return unknownSize(random.int(1, 8));
  if (hand.lies(2))
    return random.pick([
      Buffer.from([0]),
      Buffer.from('01ffffffffffff00', 'hex'),
      Buffer.from([0xfe]),
      Buffer.from([0x40]),
    ]);
  const shortest = size < 2 ** 7 - 1 ? 1 : size < 2 ** 14 - 1 ? 2 : size < 2 ** 21 - 1 ? 3 : 4;
  const width = random.happens(20) ? random.int(shortest, 8) : shortest;
  return u64(BigInt(hand.number(size, 16)) | (1n << BigInt(7 * width))).subarray(8 - width);
}

function unknownSize(width: number): Buffer {
  return Buffer.concat([u8((1 << (9 - width)) - 1), Buffer.alloc(width - 1, 0xff)]);
}

const VOID = 0xec;
const CRC = 0xbf;
const UNKNOWN_ID = 0x4f_ff;

/** Writes elements without pictures or sound, which may occur anywhere. */
export function idle(hand: Hand, place: string): Buffer[] {
  return hand.times(2, () => {
    const id = hand.random.pick([VOID, VOID, CRC, UNKNOWN_ID]);
    return element(
      hand,
      id,
      ...(id === CRC ? [u32(0)] : [hand.words(`${place}-${id === VOID ? 'void' : 'unknown'}`)]),
    );
  });
}

export function header(hand: Hand, kind: string): Buffer {
  return element(
    hand,
    0x1a45dfa3,
    hand.parts([
      element(hand, 0x4286, u8(1)),
      element(hand, 0x42f2, u8(4)),
      element(hand, 0x42f3, u8(8)),
      element(hand, 0x4282, tag(kind)),
      element(hand, 0x4287, u8(4)),
      element(hand, 0x4285, u8(2)),
    ]),
  );
}

export function info(hand: Hand, ticks: number): Buffer {
  const { random } = hand;
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(hand.lies() ? random.pick([Number.NaN, -1, 1e300, Infinity, 0]) : ticks);
  return element(
    hand,
    0x1549a966,
    hand.parts([
      ...(random.happens(80) ? [numberElement(hand, 0x2ad7b1, 1_000_000)] : []),
      ...(random.happens(70) ? [element(hand, 0x4489, duration)] : []),
      element(hand, 0x4d80, hand.words('muxer')),
      element(hand, 0x5741, hand.words('writer')),
      ...(random.happens(50)
        ? [
            element(hand, 0x7ba9, hand.words('title')),
            element(hand, 0x4461, u64(1)),
            element(hand, 0x7384, hand.words('file-name')),
          ]
        : []),
      ...idle(hand, 'info'),
    ]),
  );
}

export interface MatroskaShape {
  readonly number: number;
  /** The track type: 1 video, 2 audio, 17 subtitles. */
  readonly type: number;
}

export function trackEntry(hand: Hand, { number, type }: MatroskaShape): Buffer {
  const { random } = hand;
  const look =
    type === 1
      ? [
          element(hand, 0x86, tag('V_UNCOMPRESSED')),
          element(
            hand,
            0xe0,
            // The elements may be too many to be passed as separate arguments.
            Buffer.concat([
              numberElement(hand, 0xb0, 16),
              numberElement(hand, 0xba, 16),
              ...idle(hand, 'video'),
            ]),
          ),
        ]
      : [
          element(hand, 0x86, tag(type === 2 ? 'A_PCM/INT/LIT' : 'S_TEXT/UTF8')),
          ...(type === 2
            ? [element(hand, 0xe1, numberElement(hand, 0x9f, 1), numberElement(hand, 0x6264, 16))]
            : []),
        ];
  return element(
    hand,
    0xae,
    hand.parts([
      numberElement(hand, 0xd7, number),
      numberElement(hand, 0x73c5, number),
      numberElement(hand, 0x83, type),
      ...look,
      ...(random.happens(50) ? [element(hand, 0x536e, hand.words('track-name'))] : []),
      ...(random.happens(10) ? [element(hand, 0x258688, hand.words('codec-name'))] : []),
      ...(hand.lies() ? [element(hand, 0x23314f, Buffer.from('3f000000', 'hex'))] : []),
      ...idle(hand, 'track'),
    ]),
  );
}

export function cluster(hand: Hand, tracks: readonly MatroskaShape[], tick: number): Buffer {
  const { random } = hand;
  const blockAt = (index: number): Buffer => {
    const { number, type } = random.pick(tracks);
    const isKept = type < 3;
    const lacing = random.pick([0, 0, 1, 2, 3]);
    const packet = (): Buffer => (isKept ? random.bytes(random.int(1, 40)) : hand.words('data-track'));
    const packets = Array.from({ length: lacing === 0 ? 1 : random.int(1, 6) }, packet);
    const block = Buffer.concat([
      u8(0x80 | hand.number(number, 8)),
      u16(hand.number(index * 10, 16)),
      u8((lacing << 1) | random.pick([0, 0x80])),
      ...(lacing === 0 ? packets : laced(hand, lacing, packets)),
    ]);
    if (random.happens(60)) return element(hand, 0xa3, block);
    return element(
      hand,
      0xa0,
      hand.parts([
        element(hand, 0xa1, block),
        ...(random.happens(60) ? [numberElement(hand, 0x9b, 10)] : []),
        ...idle(hand, 'group'),
      ]),
    );
  };
  const parts = hand.parts([
    numberElement(hand, 0xe7, tick),
    blockAt(0),
    ...hand.times(10, (index) => blockAt(index + 1)),
    ...idle(hand, 'cluster'),
  ]);
  return random.happens(15)
    ? openElement(0x1f43b675, random.int(1, 8), parts)
    : element(hand, 0x1f43b675, parts);
}

/** Writes several packets, preceded by their number and by all sizes except the last. */
function laced(hand: Hand, lacing: number, packets: readonly Buffer[]): Buffer[] {
  const count = u8(hand.number(packets.length - 1, 8));
  const lengths = packets.slice(0, -1).map(({ length }) => hand.number(length, 8));
  // Xiph lacing writes a size as bytes that are added up; a size below 255 is one byte.
  if (lacing === 1) return [count, Buffer.from(lengths), ...packets];
  if (lacing === 3) {
    const relative = lengths.map((length, index) => {
      const before = lengths[index - 1];
      // EBML lacing: each size takes two bytes; the offset 0x1fff lets a difference be negative.
      return u16(0x4000 | (before === undefined ? length : length - before + 0x1fff));
    });
    return [count, ...relative, ...packets];
  }
  const longest = Math.max(...packets.map(({ length }) => length));
  return [count, ...packets.map((packet) => Buffer.concat([packet, Buffer.alloc(longest - packet.length)]))];
}

/** Writes elements that describe the file, at the top level of a segment. */
export function aside(hand: Hand): Buffer[] {
  return hand.times(3, () => {
    const { random } = hand;
    const id = random.pick([0x1254c367, 0x1043a770, 0x1941a469, 0x114d9b74, 0x1c53bb6b]);
    if (id === 0x114d9b74) {
      const place = [element(hand, 0x53ab, random.bytes(4)), numberElement(hand, 0x53ac, 100)];
      return element(hand, id, element(hand, 0x4dbb, hand.parts(place)));
    }
    if (id === 0x1c53bb6b) return element(hand, id, element(hand, 0xbb, numberElement(hand, 0xb3, 0)));
    return element(hand, id, element(hand, 0x7373, hand.words('aside')));
  });
}
