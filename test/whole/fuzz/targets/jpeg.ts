import { tiff } from '../grammar/exif.ts';
import { Hand } from '../grammar/hand.ts';
import { tag, u16, u8 } from '../grammar/numbers.ts';
import { picture } from '../grammar/pictures.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const SCAN = 0xda;
const SEGMENT_BYTES_MAX = 65_000;

/** JPEG: segments of every kind between those of a real picture, and arbitrary data after the picture. */
export const jpeg: FuzzTarget = admitTarget(
  'jpeg',
  ['image'],
  (random, seeds) => jpegFile(new Hand(random), random.pick(seeds)),
  jpegSeeds,
);

export function jpegSeeds(): Promise<Buffer[]> {
  return Promise.all([
    picture().jpeg().toBuffer(),
    picture().jpeg({ progressive: true }).toBuffer(),
    picture().greyscale().jpeg({ quality: 30 }).toBuffer(),
    picture().toColourspace('cmyk').jpeg().toBuffer(),
  ]);
}

/** Returns the picture's own segments with others among them. */
export function jpegFile(hand: Hand, seed: Buffer): Buffer {
  const { random } = hand;
  const parts = segmentsOf(seed).flatMap((segment, index) =>
    index > 1 && random.happens(30) ? [aside(hand), segment] : [segment],
  );
  const [start = Buffer.alloc(0), ...rest] = parts;
  const early = hand.times(4, () => aside(hand));
  const end = random.happens(20) ? [hand.words('behind')] : [];
  return Buffer.concat([start, hand.parts([...early, ...rest]), ...end]);
}

/** Splits a file into its start marker, the segments with their coded data, and its end marker. */
function segmentsOf(file: Buffer): Buffer[] {
  const parts = [file.subarray(0, 2)];
  for (let at = 2; at < file.length;) {
    const marker = file[at + 1] ?? 0;
    let end = marker === 0xd9 ? at + 2 : at + 2 + file.readUInt16BE(at + 2);
    if (marker === SCAN) while (file[end] !== 0xff || file[end + 1] === 0) end += 1;
    parts.push(file.subarray(at, end));
    at = end;
  }
  return parts;
}

function aside(hand: Hand): Buffer {
  const { random } = hand;
  const marker = random.pick([0xe0, 0xe1, 0xe1, 0xe1, 0xe2, 0xed, 0xee, 0xef, 0xfe, 0xfe]);
  const body = Buffer.concat([
    ...bodyOf(hand, marker),
    Buffer.alloc(random.happens(5) ? random.count(SEGMENT_BYTES_MAX) : 0),
  ]);
  return Buffer.concat([
    Buffer.alloc(random.happens(10) ? random.int(1, 9) : 0, 0xff),
    u8(0xff),
    u8(marker),
    u16(hand.number(body.length + 2, 16)),
    body,
  ]);
}

function bodyOf(hand: Hand, marker: number): Buffer[] {
  const { random } = hand;
  if (marker === 0xe0) return [tag(random.pick(['JFXX\0', 'AVI1', 'CIFF'])), hand.words('app0')];
  if (marker !== 0xe1)
    return [
      tag(marker === 0xe2 ? 'MPF\0' : marker === 0xed ? 'Photoshop 3.0\0' : ''),
      hand.words(`marker-${marker.toString(16)}`),
    ];
  if (random.happens(60)) return [tag('Exif\0\0'), tiff(hand, 'exif')];
  return [tag('http://ns.adobe.com/xap/1.0/\0'), hand.words('xmp')];
}
