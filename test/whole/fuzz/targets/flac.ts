import { Hand } from '../grammar/hand.ts';
import { tag, u16, u24, u32, u64, u8 } from '../grammar/numbers.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const BLOCK_SAMPLES = 4_096;
const RATE_HZ = 44_100;
const SEEK_TABLE = 3;

/** FLAC: metadata blocks of every kind, then frames of silence that can be decoded. */
export const flac: FuzzTarget = admitTarget('flac', ['audio'], (random) => {
  const hand = new Hand(random, { liePercent: 12 });
  const sound = [frame(hand, 0), ...hand.times(20, (index) => frame(hand, index + 1))];
  const asides = [...hand.times(4, () => aside(hand))];
  const blocks = [streamInfo(hand, sound.length * BLOCK_SAMPLES), ...asides].map((block, index, all) => {
    const isLast = hand.lies() ? random.happens(50) : index === all.length - 1;
    return Buffer.concat([u8((block[0] ?? 0) | (isLast ? 0x80 : 0)), block.subarray(1)]);
  });
  const tail = random.happens(15)
    ? [Buffer.concat([tag('TAG'), hand.words('id3v1'), Buffer.alloc(128)]).subarray(0, 128)]
    : [];
  return Buffer.concat([tag('fLaC'), hand.parts(blocks), hand.parts(sound), ...tail]);
});

function block(hand: Hand, type: number, ...body: readonly Buffer[]): Buffer {
  const content = Buffer.concat(body);
  return Buffer.concat([u8(type), u24(hand.number(content.length, 24)), content]);
}

function streamInfo(hand: Hand, samples: number): Buffer {
  const rate = BigInt(hand.number(RATE_HZ, 24) & 0xf_ffff);
  const told = BigInt(hand.number(samples, 32));
  // Packs the rate, one channel, 16 bits, and the number of samples.
  const packed = (rate << 44n) | (15n << 36n) | told;
  const sizes = [u16(hand.number(BLOCK_SAMPLES, 16)), u16(hand.number(BLOCK_SAMPLES, 16)), u24(0), u24(0)];
  return block(hand, 0, ...sizes, u64(packed), Buffer.alloc(16));
}

function aside(hand: Hand): Buffer {
  const type = hand.random.pick([1, 2, 4, 5, 6, 100, SEEK_TABLE]);
  return block(hand, type, type === SEEK_TABLE ? Buffer.alloc(18) : hand.words(`block-${type}`));
}

/** Writes a frame of 4,096 samples of silence. */
function frame(hand: Hand, index: number): Buffer {
  const number = index < 0x80 ? u8(index) : Buffer.from([0xc0 | (index >> 6), 0x80 | (index & 0x3f)]);
  const size = hand.lies() ? hand.random.int(0, 15) : 12;
  const head = Buffer.concat([Buffer.from([0xff, 0xf8, (size << 4) | 9, 0x08]), number]);
  const body = Buffer.concat([head, u8(crc(head, 0x07, 8)), Buffer.from([0, 0, 0])]);
  return Buffer.concat([body, u16(crc(body, 0x8005, 16)), ...(hand.lies() ? [u32(0)] : [])]);
}

function crc(bytes: Buffer, polynomial: number, bits: 8 | 16): number {
  const top = 1 << (bits - 1);
  let rest = 0;
  for (const byte of bytes) {
    rest ^= byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1)
      rest = (rest & top ? (rest << 1) ^ polynomial : rest << 1) & (2 ** bits - 1);
  }
  return rest;
}
