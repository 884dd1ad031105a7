import type { Hand } from './hand.ts';
import { tag, u16, u32, u64, u8 } from './numbers.ts';

/**
 * Writes a box. A dishonest hand falsifies its size; any hand may write the size in eight bytes, or leave the size of
 * the last box open.
 */
export function box(hand: Hand, type: string, ...body: readonly Buffer[]): Buffer {
  const content = Buffer.concat(body);
  const { random } = hand;
  if (random.happens(5)) {
    const size = hand.lies(20)
      ? random.pick([0n, 15n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n])
      : content.length + 16;
    return Buffer.concat([u32(1), tag(type), u64(size), content]);
  }
  return Buffer.concat([u32(hand.number(content.length + 8, 32)), tag(type), content]);
}

/** Writes a table with a count and its rows. */
export function table(
  hand: Hand,
  type: string,
  rows: readonly Buffer[],
  head: Buffer = Buffer.alloc(0),
): Buffer {
  return box(hand, type, u32(0), head, u32(hand.number(rows.length, 32)), Buffer.concat(rows));
}

/** Writes boxes that reveal the owner; they may occur anywhere. */
export function userData(hand: Hand, place: string): Buffer[] {
  return hand.times(3, () => {
    const type = hand.random.pick([
      'udta',
      'meta',
      'free',
      'skip',
      'uuid',
      'XYZW',
      '\xa9xyz',
      'id32',
      'wide',
    ]);
    const inner = box(hand, '\xa9nam', hand.words(`${place}-${type.replace(/\W/g, '_')}`));
    return box(hand, type, hand.random.happens(50) ? inner : Buffer.concat([u32(0), inner]));
  });
}

export interface Mp4Shape {
  readonly id: number;
  readonly handler: string;
  /** The offset of the track's samples in the file. */
  readonly chunkAt: number;
  readonly sampleSizes: readonly number[];
  readonly isFragmented: boolean;
}

const TIMESCALE = 1_000;
const SAMPLE_TICKS = 100;
/** The sample rate of PCM tracks, whose samples are 16-bit mono. */
const PCM_RATE_HZ = 8_000;

export function movie(hand: Hand, tracks: readonly Mp4Shape[]): Buffer {
  const isFragmented = tracks.some((track) => track.isFragmented);
  const extends_ = tracks.map(({ id }) =>
    box(hand, 'trex', u32(0), u32(id), u32(1), u32(hand.number(SAMPLE_TICKS, 32)), u32(0), u32(0)),
  );
  const head = timed(
    hand,
    'mvhd',
    Buffer.concat([u32(TIMESCALE), u32(hand.number(lasting(tracks), 32)), Buffer.alloc(80)]),
  );
  return box(
    hand,
    'moov',
    hand.parts([
      head,
      ...tracks.map((track) => trackBox(hand, track)),
      ...userData(hand, 'moov'),
      ...(isFragmented ? [box(hand, 'mvex', ...extends_)] : []),
    ]),
  );
}

export function fragment(hand: Hand, tracks: readonly Mp4Shape[], sequence: number): Buffer {
  const runs = tracks.map(({ id, sampleSizes }) => {
    const hasDurations = hand.random.happens(50);
    const rows = sampleSizes.map((size) =>
      Buffer.concat([...(hasDurations ? [u32(hand.number(SAMPLE_TICKS, 32))] : []), u32(size)]),
    );
    const run = box(
      hand,
      'trun',
      u32(0x200 | (hasDurations ? 0x100 : 0)),
      u32(hand.number(rows.length, 32)),
      Buffer.concat(rows),
    );
    const head = box(hand, 'tfhd', u32(0), u32(hand.number(id, 32)));
    const runsOfTrack = hand.lies(5) ? Array.from({ length: 50 }, () => run) : [run];
    return box(
      hand,
      'traf',
      hand.parts([head, box(hand, 'tfdt', u32(0), u32(0)), ...runsOfTrack, ...userData(hand, 'traf')]),
    );
  });
  return box(
    hand,
    'moof',
    hand.parts([box(hand, 'mfhd', u32(0), u32(sequence)), ...runs, ...userData(hand, 'moof')]),
  );
}

function lasting(tracks: readonly Mp4Shape[]): number {
  return Math.max(0, ...tracks.map(({ sampleSizes }) => sampleSizes.length * SAMPLE_TICKS));
}

/** Writes a box that starts with its creation and modification times. */
function timed(hand: Hand, type: string, rest: Buffer, between: Buffer = Buffer.alloc(0)): Buffer {
  return box(hand, type, u32(0), u32(3_600_000_000), u32(3_600_000_001), between, rest);
}

function trackBox(hand: Hand, track: Mp4Shape): Buffer {
  const { id, sampleSizes } = track;
  const ticks = sampleSizes.length * SAMPLE_TICKS;
  const head = timed(
    hand,
    'tkhd',
    Buffer.concat([u32(0), u32(hand.number(ticks, 32)), Buffer.alloc(60)]),
    u32(hand.number(id, 32)),
  );
  const edit = Buffer.concat([
    u32(hand.number(ticks, 32)),
    u32(hand.number(0, 32)),
    u16(hand.number(1, 16)),
    u16(0),
  ]);
  const edits = hand.random.happens(30)
    ? [box(hand, 'edts', table(hand, 'elst', hand.lies(20) ? [edit, edit, edit] : [edit]))]
    : [];
  return box(hand, 'trak', hand.parts([head, ...edits, media(hand, track), ...userData(hand, 'trak')]));
}

function media(hand: Hand, track: Mp4Shape): Buffer {
  const ticks = track.isFragmented ? 0 : track.sampleSizes.length * SAMPLE_TICKS;
  const clock = timed(
    hand,
    'mdhd',
    Buffer.concat([u32(hand.number(TIMESCALE, 32)), u32(hand.number(ticks, 32)), u32(0)]),
  );
  const handler = box(
    hand,
    'hdlr',
    u32(0),
    u32(0),
    tag(track.handler),
    Buffer.alloc(12),
    hand.words('hdlr'),
    u8(0),
  );
  const paths = table(hand, 'dref', [
    box(hand, 'url ', u32(1), ...(hand.random.happens(20) ? [hand.words('dref')] : [])),
  ]);
  const about =
    track.handler === 'vide' ? box(hand, 'vmhd', u32(1), u64(0)) : box(hand, 'smhd', u32(0), u32(0));
  const info = box(hand, 'minf', hand.parts([about, box(hand, 'dinf', paths), samples(hand, track)]));
  return box(hand, 'mdia', hand.parts([clock, handler, info, ...userData(hand, 'mdia')]));
}

function samples(hand: Hand, track: Mp4Shape): Buffer {
  const sizes = track.isFragmented ? [] : track.sampleSizes;
  const times = Buffer.concat([u32(hand.number(sizes.length, 32)), u32(hand.number(SAMPLE_TICKS, 32))]);
  const runs = Buffer.concat([u32(1), u32(hand.number(sizes.length, 32)), u32(1)]);
  const rows = sizes.map((size) => u32(hand.number(size, 32)));
  const where = hand.random.happens(20)
    ? table(hand, 'co64', [u64(track.chunkAt)])
    : table(hand, 'stco', [u32(hand.number(track.chunkAt, 32))]);
  const isEven = new Set(sizes).size === 1 && hand.random.happens(50);
  const each = sizes[0] ?? 0;
  const sizeBox = isEven
    ? box(hand, 'stsz', u32(0), u32(hand.number(each, 32)), u32(hand.number(sizes.length, 32)))
    : table(hand, 'stsz', rows, u32(0));
  return box(
    hand,
    'stbl',
    hand.parts([
      table(hand, 'stsd', [entry(hand, track.handler)]),
      table(hand, 'stts', [times, ...hand.times(4, () => Buffer.concat([u32(0), u32(0)]))]),
      table(hand, 'stsc', [runs]),
      sizeBox,
      where,
      ...userData(hand, 'stbl'),
    ]),
  );
}

function entry(hand: Hand, handler: string): Buffer {
  const start = Buffer.concat([Buffer.alloc(6), u16(1)]);
  if (handler === 'soun') {
    return box(hand, 'twos', start, Buffer.alloc(8), u16(1), u16(16), u32(0), u32(PCM_RATE_HZ * 65_536));
  }
  if (handler !== 'vide') return box(hand, 'mett', start, tag('\0text/plain\0'));
  return box(
    hand,
    'rle ',
    start,
    Buffer.alloc(16),
    u16(16),
    u16(16),
    u64(0x48_0000_0048_0000),
    u32(0),
    u16(1),
    Buffer.alloc(32),
    u16(24),
    u16(0xffff),
  );
}
