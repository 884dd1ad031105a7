import { damaged } from '../media-error.ts';

const HEAD_BYTES = 7;
const CODEBOOK_SYNC = 0x564342;

/**
 * For each mode of a Vorbis stream, returns whether its blocks are long. The modes are at the end of the setup packet
 * at an unknown offset, so everything before them is parsed, as a decoder does.
 */
export function readVorbisModes(setup: Buffer, channels: number): readonly boolean[] {
  if (setup.toString('latin1', 0, HEAD_BYTES) !== '\x05vorbis') throw damaged('a Vorbis has no setup');
  const bits = new Bits(setup, HEAD_BYTES);
  times(bits.read(8) + 1, () => skipCodebook(bits));
  times(bits.read(6) + 1, () => bits.read(16));
  times(bits.read(6) + 1, () => skipFloor(bits));
  times(bits.read(6) + 1, () => skipResidue(bits));
  times(bits.read(6) + 1, () => skipMapping(bits, channels));
  const modes = Array.from({ length: bits.read(6) + 1 }, () => {
    const isLong = bits.read(1) === 1;
    bits.skip(40);
    return isLong;
  });
  if (bits.read(1) === 0) throw damaged('a Vorbis has no setup');
  return modes;
}

function skipCodebook(bits: Bits): void {
  if (bits.read(24) !== CODEBOOK_SYNC) throw damaged('a Vorbis has no setup');
  const dimensions = bits.read(16);
  const entries = bits.read(24);
  if (bits.read(1) === 1) {
    bits.skip(5);
    for (let entry = 0; entry < entries;) {
      const width = bitsFor(entries - entry);
      entry += bits.read(width);
    }
  } else {
    const isSparse = bits.read(1) === 1;
    if (!isSparse) bits.skip(5 * entries);
    else times(entries, () => bits.read(1) === 1 && bits.skip(5));
  }
  const lookup = bits.read(4);
  if (lookup === 0) return;
  if (lookup > 2) throw damaged('a Vorbis has no setup');
  bits.skip(64);
  const valueBits = bits.read(4) + 1;
  bits.skip(1);
  bits.skip(valueBits * (lookup === 1 ? wholeRoot(entries, dimensions) : entries * dimensions));
}

function skipFloor(bits: Bits): void {
  const type = bits.read(16);
  if (type > 1) throw damaged('a Vorbis has no setup');
  if (type === 0) {
    bits.skip(8 + 16 + 16 + 6 + 8);
    bits.skip(8 * (bits.read(4) + 1));
    return;
  }
  const classes = Array.from({ length: bits.read(5) }, () => bits.read(4));
  const dimensions = Array.from({ length: Math.max(-1, ...classes) + 1 }, () => {
    const own = bits.read(3) + 1;
    const subclasses = bits.read(2);
    if (subclasses > 0) bits.skip(8);
    bits.skip(8 * 2 ** subclasses);
    return own;
  });
  bits.skip(2);
  const range = bits.read(4);
  for (const each of classes) bits.skip(range * (dimensions[each] ?? 0));
}

function skipResidue(bits: Bits): void {
  bits.skip(16 + 24 + 24 + 24);
  const classes = bits.read(6) + 1;
  bits.skip(8);
  let books = 0;
  times(classes, () => {
    const low = bits.read(3);
    const high = bits.read(1) === 1 ? bits.read(5) : 0;
    books += bitsSet(low) + bitsSet(high);
  });
  bits.skip(8 * books);
}

function skipMapping(bits: Bits, channels: number): void {
  bits.skip(16);
  const submaps = bits.read(1) === 1 ? bits.read(4) + 1 : 1;
  if (bits.read(1) === 1) bits.skip((bits.read(8) + 1) * 2 * bitsFor(channels - 1));
  bits.skip(2);
  if (submaps > 1) bits.skip(4 * channels);
  bits.skip(24 * submaps);
}

/**
 * Reads numbers of any bit width, least significant bit first. Throws at the end of the bytes, so no count in the data
 * can cause a long loop.
 */
class Bits {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, fromByte: number) {
    this.#bytes = bytes;
    this.#at = fromByte * 8;
  }

  read(width: number): number {
    let value = 0;
    for (let bit = 0; bit < width; bit += 1, this.#at += 1) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw damaged('a Vorbis has no setup');
      value += ((byte >> (this.#at & 7)) & 1) * 2 ** bit;
    }
    return value;
  }

  skip(width: number): void {
    this.#at += width;
    if (this.#at > this.#bytes.length * 8) throw damaged('a Vorbis has no setup');
  }
}

function times(count: number, work: () => unknown): void {
  for (let index = 0; index < count; index += 1) work();
}

/** Returns how many bits `value` needs. */
export function bitsFor(value: number): number {
  return value <= 0 ? 0 : 32 - Math.clz32(value);
}

function bitsSet(value: number): number {
  return value.toString(2).replaceAll('0', '').length;
}

/** Returns the largest integer that, raised to `power`, does not exceed `value`. */
function wholeRoot(value: number, power: number): number {
  if (power === 0) return 0;
  let root = Math.floor(value ** (1 / power));
  while ((root + 1) ** power <= value) root += 1;
  while (root > 0 && root ** power > value) root -= 1;
  return root;
}
