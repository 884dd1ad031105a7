import { Hand } from '../grammar/hand.ts';
import { tag, u8 } from '../grammar/numbers.ts';
import { frames, picture } from '../grammar/pictures.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const HEAD_BYTES = 13;
const BLOCK_BYTES_MAX = 255;

/** GIF: frames with comments, plain text and application blocks among them. */
export const gif: FuzzTarget = admitTarget(
  'gif',
  ['image'],
  (random, seeds) => gifFile(new Hand(random), random.pick(seeds)),
  gifSeeds,
);

export function gifSeeds(): Promise<Buffer[]> {
  return Promise.all([
    picture().gif().toBuffer(),
    frames()
      .gif({ loop: 3, delay: [50, 50, 50] })
      .toBuffer(),
  ]);
}

export function gifFile(hand: Hand, seed: Buffer): Buffer {
  const { head, blocks, end } = partsOf(seed);
  const parts = blocks.flatMap((block) => (hand.random.happens(30) ? [aside(hand), block] : [block]));
  return Buffer.concat([
    head,
    hand.parts([...hand.times(4, () => aside(hand)), ...parts, ...hand.times(2, () => aside(hand))]),
    end,
    ...(hand.random.happens(20) ? [hand.words('behind')] : []),
  ]);
}

function partsOf(file: Buffer): { head: Buffer; blocks: Buffer[]; end: Buffer } {
  const colours = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const start = HEAD_BYTES + colours(file[10] ?? 0);
  const blocks: Buffer[] = [];
  let at = start;
  while (file[at] !== 0x3b) {
    let end = file[at] === 0x2c ? at + 10 + colours(file[at + 9] ?? 0) + 1 : at + 2;
    while (file[end] !== 0) end += 1 + (file[end] ?? 0);
    blocks.push(file.subarray(at, end + 1));
    at = end + 1;
  }
  return { head: file.subarray(0, start), blocks, end: file.subarray(at, at + 1) };
}

/** Writes an extension, which consists of sub-blocks; a dishonest hand may leave it unterminated. */
function aside(hand: Hand): Buffer {
  const { random } = hand;
  const label = random.pick([0xfe, 0x01, 0xff, 0xff, 0xf9, random.int(0, 255)]);
  const first =
    label === 0xff
      ? [subBlock(hand, tag(random.pick(['XMP DataXMP', 'MAGPIXELS01', 'fractint012'])))]
      : label === 0x01
        ? [subBlock(hand, Buffer.alloc(12))]
        : [];
  const words = hand.words(`label-${label.toString(16)}`);
  // A frame's graphic control extension contains four bytes instead of words.
  const rest =
    label === 0xf9 ? [subBlock(hand, Buffer.alloc(4))] : hand.times(20, () => subBlock(hand, words));
  return Buffer.concat([u8(0x21), u8(label), ...first, ...rest, ...(hand.lies() ? [] : [u8(0)])]);
}

function subBlock(hand: Hand, body: Buffer): Buffer {
  return Buffer.concat([
    u8(hand.number(Math.min(BLOCK_BYTES_MAX, body.length), 8)),
    body.subarray(0, BLOCK_BYTES_MAX),
  ]);
}
