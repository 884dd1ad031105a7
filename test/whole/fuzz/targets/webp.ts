import { tiff } from '../grammar/exif.ts';
import { Hand } from '../grammar/hand.ts';
import { le32, tag, u8 } from '../grammar/numbers.ts';
import { frames, picture } from '../grammar/pictures.ts';
import { chunk, riff } from '../grammar/riff.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const WIDTH = 24;
const HEIGHT = 16;
const FRAME_HEAD_BYTES = 16;

/** WebP: still and animated, lossy, lossless and with alpha, with chunks of every kind. */
export const webp: FuzzTarget = admitTarget(
  'webp',
  ['image'],
  (random, seeds) => webpFile(new Hand(random), random.pick(seeds)),
  webpSeeds,
);

export function webpSeeds(): Promise<Buffer[]> {
  return Promise.all([
    picture().webp().toBuffer(),
    picture().webp({ lossless: true }).toBuffer(),
    picture(4).webp().toBuffer(),
    frames().webp({ loop: 2 }).toBuffer(),
  ]);
}

export function webpFile(hand: Hand, seed: Buffer): Buffer {
  const own = chunksOf(seed, 12, seed.length).map((part) =>
    part.toString('latin1', 0, 4) === 'ANMF' ? frame(hand, part) : part,
  );
  const isExtended = own[0]?.toString('latin1', 0, 4) === 'VP8X';
  const head =
    isExtended || hand.random.happens(20) ? [] : [chunk(hand, 'VP8X', le32(hand.number(0x0c, 8)), sizes())];
  const parts = own.flatMap((part, index) =>
    index > 0 && hand.random.happens(30) ? [aside(hand), part] : [part],
  );
  const body = hand.parts([...head, ...parts, ...hand.times(4, () => aside(hand))]);
  return Buffer.concat([
    riff(hand, 'WEBP', body),
    ...(hand.random.happens(20) ? [hand.words('behind')] : []),
  ]);
}

function sizes(): Buffer {
  return Buffer.concat([le32(WIDTH - 1).subarray(0, 3), le32(HEIGHT - 1).subarray(0, 3)]);
}

function chunksOf(file: Buffer, from: number, to: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = from; at + 8 <= to;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    chunks.push(file.subarray(at, end));
    at = end;
  }
  return chunks;
}

/** Writes an animation frame, which may also contain unknown chunks. */
function frame(hand: Hand, part: Buffer): Buffer {
  if (!hand.random.happens(30)) return part;
  return chunk(
    hand,
    'ANMF',
    part.subarray(8, 8 + FRAME_HEAD_BYTES),
    ...chunksOf(part, 8 + FRAME_HEAD_BYTES, part.length),
    chunk(hand, 'XMP ', hand.words('frame')),
  );
}

function aside(hand: Hand): Buffer {
  const type = hand.random.pick(['EXIF', 'EXIF', 'XMP ', 'XXXX', 'PRIV']);
  if (type !== 'EXIF') return chunk(hand, type, hand.words(type.trim()));
  return chunk(
    hand,
    type,
    ...(hand.random.happens(30) ? [tag('Exif\0\0')] : []),
    tiff(hand, 'exif'),
    ...(hand.random.happens(50) ? [u8(0)] : []),
  );
}
