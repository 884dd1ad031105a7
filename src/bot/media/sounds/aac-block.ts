import {
  AAC_BANDS,
  CODE_TREES,
  type CodeTree,
  ESCAPES,
  ESCAPE_MIN,
  PREDICTED_BANDS,
  SCALE_FACTOR_TREE,
} from './aac-tables.ts';
import { BitReader } from './bit-reader.ts';

/**
 * The properties that determine the encoding of an AAC block: the audio object type, and the index of the sampling
 * rate.
 */
export interface AacCoder {
  readonly kind: number;
  readonly rateIndex: number;
}

const AAC_MAIN = 1;
const AAC_LTP = 4;

const SINGLE = 0;
const PAIR = 1;
const LOW_FREQUENCIES = 3;
const DATA = 4;
const PROGRAM = 5;
const FILL = 6;
const END = 7;

const EIGHT_SHORT = 2;
const NOISE = 13;
const RESERVED_BOOK = 12;
/** In codebooks up to this number, a code word encodes four coefficients; in higher ones, two. */
const FOURS_MAX = 4;
const ESCAPE_ONES_MAX = 8;
const LTP_BANDS_MAX = 40;
const DYNAMIC_RANGE = 11;
const REPLICATION = 13;
const REPLICATION_CHECKED = 14;
const EXCLUDED_CHANNELS_MAX = 57;

/** The smallest block with sound: one silent channel, and the end marker. */
const BLOCK_BYTES_MIN = 4;

/** The block is damaged, or of a kind that ordinary encoders do not write. */
class UnreadableBlock extends Error {}

/**
 * Returns the number of blocks in a packet, at least one. Decoders play each of them, although containers count a
 * packet as one block. If a block cannot be read, the rest of the packet counts as the largest number of blocks that
 * could fit into it. For each block, `check` is called with the bytes from its start to the end of the packet.
 */
export function countBlocks(packet: Buffer, coder: AacCoder, check: (rest: Buffer) => void): number {
  let blocks = 0;
  for (let rest = packet; rest.some((byte) => byte !== 0);) {
    check(rest);
    const bytes = blockBytes(rest, coder);
    if (bytes === undefined) return blocks + Math.ceil(rest.length / BLOCK_BYTES_MIN);
    blocks += 1;
    rest = rest.subarray(bytes);
  }
  return Math.max(1, blocks);
}

/** Returns the size of the block at the start of `bytes`; `undefined` if it cannot be read. */
function blockBytes(bytes: Buffer, coder: AacCoder): number | undefined {
  const bits = new BitReader(bytes);
  try {
    new Block(bits, coder).read();
  } catch (error) {
    if (error instanceof UnreadableBlock) return undefined;
    throw error;
  }
  bits.align();
  return bits.at / 8;
}

/** The division of a channel's coefficients into windows. The two channels of a pair may share it. */
interface Windows {
  readonly isShort: boolean;
  /** The number of windows in each group. */
  readonly groups: readonly number[];
  readonly bands: number;
  readonly hasPrediction: boolean;
}

/** Reads one `raw_data_block` (ISO/IEC 14496-3, 4.4.2.1) to find its end. */
class Block {
  readonly #bits: BitReader;
  readonly #coder: AacCoder;
  #hasChannel = false;

  constructor(bits: BitReader, coder: AacCoder) {
    this.#bits = bits;
    this.#coder = coder;
  }

  read(): void {
    for (;;) {
      demand(this.#bits.left >= 3);
      const element = this.#bits.read(3);
      if (element === END) return;
      this.#element(element);
      demand(this.#bits.left >= 0);
    }
  }

  #element(element: number): void {
    switch (element) {
      case SINGLE:
      case LOW_FREQUENCIES:
        this.#bits.skip(4);
        this.#channel();
        this.#hasChannel = true;
        return;
      case PAIR:
        this.#pair();
        this.#hasChannel = true;
        return;
      case DATA:
        return this.#data();
      case PROGRAM:
        return this.#program();
      case FILL:
        return this.#fill();
      default:
        throw new UnreadableBlock();
    }
  }

  #pair(): void {
    const bits = this.#bits;
    bits.skip(4);
    let shared: Windows | undefined;
    if (bits.bit() === 1) {
      shared = this.#windows();
      const stereo = bits.read(2);
      demand(stereo < 3);
      if (stereo === 1) bits.skip(shared.groups.length * shared.bands);
      if (shared.hasPrediction && this.#coder.kind === AAC_LTP) this.#longTerm(shared.bands);
    }
    this.#channel(shared);
    this.#channel(shared);
  }

  #channel(shared?: Windows): void {
    const bits = this.#bits;
    bits.skip(8);
    const windows = shared ?? this.#windows();
    const books = this.#sections(windows);
    this.#scaleFactors(books);
    if (bits.bit() === 1) {
      demand(!windows.isShort);
      const pulses = bits.read(2) + 1;
      bits.skip(6 + pulses * 9);
    }
    if (bits.bit() === 1) this.#noiseShaping(windows.isShort);
    // Gain control is only used by an object type that no program decodes.
    demand(bits.bit() === 0);
    this.#coefficients(windows, books);
  }

  #windows(): Windows {
    const bits = this.#bits;
    bits.skip(1);
    const isShort = bits.read(2) === EIGHT_SHORT;
    bits.skip(1);
    const bands = bits.read(isShort ? 4 : 6);
    const { long, short } = AAC_BANDS[this.#coder.rateIndex] ?? { long: [], short: [] };
    demand(bands < (isShort ? short : long).length);
    if (!isShort) return { isShort, bands, groups: [1], hasPrediction: this.#prediction(bands) };
    const groups = [1];
    for (let window = 1; window < 8; window += 1) {
      if (bits.bit() === 1) groups[groups.length - 1] = (groups.at(-1) ?? 0) + 1;
      else groups.push(1);
    }
    return { isShort, bands, groups, hasPrediction: false };
  }

  #prediction(bands: number): boolean {
    const bits = this.#bits;
    if (bits.bit() === 0) return false;
    const { kind, rateIndex } = this.#coder;
    demand(kind === AAC_MAIN || kind === AAC_LTP);
    if (kind === AAC_LTP) this.#longTerm(bands);
    else {
      if (bits.bit() === 1) bits.skip(5);
      bits.skip(Math.min(bands, PREDICTED_BANDS[rateIndex] ?? 0));
    }
    return true;
  }

  #longTerm(bands: number): void {
    if (this.#bits.bit() === 1) this.#bits.skip(11 + 3 + Math.min(bands, LTP_BANDS_MAX));
  }

  /** Reads the codebook of each band, group by group. */
  #sections({ isShort, groups, bands }: Windows): number[] {
    const width = isShort ? 3 : 5;
    const more = 2 ** width - 1;
    const books: number[] = [];
    for (let group = 1; group <= groups.length; group += 1) {
      while (books.length < group * bands) {
        const book = this.#bits.read(4);
        demand(book !== RESERVED_BOOK);
        let length = 0;
        let part = more;
        while (part === more) {
          part = this.#bits.read(width);
          length += part;
          demand(this.#bits.left >= 0 && books.length + length <= group * bands);
        }
        for (let band = 0; band < length; band += 1) books.push(book);
      }
    }
    return books;
  }

  #scaleFactors(books: readonly number[]): void {
    let hasNoise = false;
    for (const book of books) {
      if (book === 0) continue;
      if (book === NOISE && !hasNoise) {
        this.#bits.skip(9);
        hasNoise = true;
      } else this.#word(SCALE_FACTOR_TREE);
    }
  }

  #noiseShaping(isShort: boolean): void {
    const bits = this.#bits;
    for (let window = 0; window < (isShort ? 8 : 1); window += 1) {
      const filters = bits.read(isShort ? 1 : 2);
      const resolution = filters > 0 ? bits.bit() + 3 : 0;
      for (let filter = 0; filter < filters; filter += 1) {
        bits.skip(isShort ? 4 : 6);
        const order = bits.read(isShort ? 3 : 5);
        if (order === 0) continue;
        bits.skip(1);
        bits.skip(order * (resolution - bits.bit()));
      }
    }
  }

  #coefficients({ isShort, groups, bands }: Windows, books: readonly number[]): void {
    const { long, short } = AAC_BANDS[this.#coder.rateIndex] ?? { long: [], short: [] };
    const starts = isShort ? short : long;
    for (const [index, book] of books.entries()) {
      const tree = CODE_TREES[book];
      if (!tree) continue;
      const band = index % bands;
      const width = (starts[band + 1] ?? 0) - (starts[band] ?? 0);
      const coefficients = width * (groups[Math.floor(index / bands)] ?? 0);
      const words = coefficients / (book <= FOURS_MAX ? 4 : 2);
      for (let word = 0; word < words; word += 1) this.#word(tree);
      demand(this.#bits.left >= 0);
    }
  }

  #word(tree: CodeTree): void {
    const bits = this.#bits;
    let node = 0;
    do node = tree[node * 2 + bits.bit()] ?? -1;
    while (node > 0);
    const end = -1 - node;
    if (end < ESCAPE_MIN) return bits.skip(end);
    const { signs = 0, numbers = 0 } = ESCAPES[end - ESCAPE_MIN] ?? {};
    bits.skip(signs);
    for (let number = 0; number < numbers; number += 1) this.#escape();
  }

  /** Skips the escaped number for a value that is too large for the codebook. */
  #escape(): void {
    let ones = 0;
    while (this.#bits.bit() === 1) {
      ones += 1;
      demand(ones <= ESCAPE_ONES_MAX);
    }
    this.#bits.skip(ones + 4);
  }

  #data(): void {
    const bits = this.#bits;
    bits.skip(4);
    const isAligned = bits.bit() === 1;
    let count = bits.read(8);
    if (count === 255) count += bits.read(8);
    if (isAligned) bits.align();
    bits.skip(count * 8);
  }

  /** Skips the channel layout. */
  #program(): void {
    const bits = this.#bits;
    bits.skip(4 + 2 + 4);
    const [front, side, back] = [bits.read(4), bits.read(4), bits.read(4)];
    const [low, data, coupling] = [bits.read(2), bits.read(3), bits.read(4)];
    if (bits.bit() === 1) bits.skip(4);
    if (bits.bit() === 1) bits.skip(4);
    if (bits.bit() === 1) bits.skip(3);
    bits.skip((front + side + back + coupling) * 5 + (low + data) * 4);
    bits.align();
    bits.skip(bits.read(8) * 8);
  }

  #fill(): void {
    const bits = this.#bits;
    let count = bits.read(4);
    if (count === 15) count += bits.read(8) - 1;
    while (count > 0) {
      const kind = bits.read(4);
      // FFmpeg reads beyond a band replication element that precedes the channel to which it belongs.
      demand(this.#hasChannel || (kind !== REPLICATION && kind !== REPLICATION_CHECKED));
      if (kind === DYNAMIC_RANGE) count -= this.#dynamicRange();
      else {
        bits.skip(count * 8 - 4);
        count = 0;
      }
    }
    demand(count === 0);
  }

  /** Skips the dynamic range data and returns its size in bytes, including the type before it. */
  #dynamicRange(): number {
    const bits = this.#bits;
    const start = bits.at - 4;
    if (bits.bit() === 1) bits.skip(8);
    if (bits.bit() === 1) {
      let channels = 0;
      do {
        bits.skip(7);
        channels += 7;
        demand(channels < EXCLUDED_CHANNELS_MAX);
      } while (bits.bit() === 1);
    }
    let bands = 1;
    if (bits.bit() === 1) {
      bands += bits.read(4);
      bits.skip(4 + bands * 8);
    }
    if (bits.bit() === 1) bits.skip(8);
    bits.skip(bands * 8);
    return (bits.at - start) / 8;
  }
}

function demand(holds: boolean): void {
  if (!holds) throw new UnreadableBlock();
}
