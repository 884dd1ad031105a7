import { crc32, deflateSync } from 'node:zlib';
import { tiff } from '../grammar/exif.ts';
import { Hand } from '../grammar/hand.ts';
import { tag, u16, u32, u8 } from '../grammar/numbers.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const COLOURS = { grey: 0, rgb: 2, palette: 3, greyAlpha: 4, rgba: 6 } as const;
const SAMPLES: ReadonlyMap<number, number> = new Map([
  [COLOURS.grey, 1],
  [COLOURS.rgb, 3],
  [COLOURS.palette, 1],
  [COLOURS.greyAlpha, 2],
  [COLOURS.rgba, 4],
]);

/** PNG and APNG: pictures of every kind, with additional chunks of every kind among their own. */
export const png: FuzzTarget = admitTarget('png', ['image'], (random) => pngFile(new Hand(random)));

export function pngFile(hand: Hand): Buffer {
  const { random } = hand;
  const [colour, samples] = random.pick([...SAMPLES]);
  const depth = colour === COLOURS.palette ? 8 : random.pick([8, 16]);
  const width = random.int(1, random.happens(2) ? 1_500 : 40);
  const height = random.int(1, 40);
  const isInterlaced = width < 8 && random.happens(20);
  const head = chunk(
    hand,
    'IHDR',
    u32(hand.number(width, 32)),
    u32(hand.number(height, 32)),
    u8(hand.number(depth, 8)),
    u8(hand.number(colour, 8)),
    u8(0),
    u8(0),
    u8(isInterlaced ? 1 : 0),
  );
  const rows = Buffer.concat(
    Array.from({ length: isInterlaced ? height * 4 : height }, () =>
      Buffer.alloc(1 + Math.ceil((width * samples * depth) / 8), random.int(0, 4)),
    ),
  );
  const data = deflateSync(rows);
  const cut = random.int(0, data.length);
  const palette = colour === COLOURS.palette ? [chunk(hand, 'PLTE', Buffer.alloc(3 * 16, 7))] : [];
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    hand.parts([
      head,
      ...asides(hand),
      ...(random.happens(10) ? animation(hand, width, height) : []),
      ...palette,
      ...asides(hand),
      chunk(hand, 'IDAT', data.subarray(0, cut)),
      chunk(hand, 'IDAT', data.subarray(cut)),
      ...asides(hand),
      chunk(hand, 'IEND'),
    ]),
    ...(random.happens(20) ? [hand.words('behind')] : []),
  ]);
}

function chunk(hand: Hand, type: string, ...body: readonly Buffer[]): Buffer {
  const content = Buffer.concat([tag(type), ...body]);
  const sum = hand.lies() ? hand.random.hostileInt(32) : crc32(content);
  return Buffer.concat([u32(hand.number(content.length - 4, 32)), content, u32(sum)]);
}

function animation(hand: Hand, width: number, height: number): Buffer[] {
  return [
    chunk(hand, 'acTL', u32(hand.number(1, 32)), u32(0)),
    chunk(hand, 'fcTL', u32(0), u32(width), u32(height), u32(0), u32(0), u16(1), u16(10), u8(0), u8(0)),
  ];
}

function asides(hand: Hand): Buffer[] {
  return hand.times(4, () => {
    const type = hand.random.pick(['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'prVt', 'dSIG', 'pHYs', 'gAMA']);
    switch (type) {
      case 'eXIf':
        return chunk(hand, type, tiff(hand, 'exif'));
      case 'zTXt':
        return chunk(hand, type, tag('Comment\0\0'), deflateSync(hand.words('ztxt')), hand.words('ztxt'));
      case 'iTXt':
        return chunk(
          hand,
          type,
          tag(hand.random.pick(['XML:com.adobe.xmp\0\0\0\0\0', 'Title\0\x01\0en\0\0'])),
          hand.words('itxt'),
        );
      case 'gAMA':
        return chunk(hand, type, u32(45_455));
      case 'pHYs':
        return chunk(hand, type, u32(1), u32(1), u8(0));
      default:
        return chunk(hand, type, tag('Comment\0'), hand.words(type));
    }
  });
}
