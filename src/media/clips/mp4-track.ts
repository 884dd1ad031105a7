import { MediaError, damaged } from '../media-error.ts';
import { type Box, findBox, rowsOf } from './mp4-boxes.ts';

/** A track as the index of a clip describes it. */
export interface Mp4Track {
  readonly id: number;
  readonly kind: 'video' | 'audio' | 'other';
  readonly timescale: number;
  /** In units of its own clock: what it says, and what its index of samples sums up to. */
  readonly toldDuration: number;
  readonly sampledDuration: number;
  readonly size: { readonly width: number; readonly height: number } | null;
}

const VISUAL_ENTRY_BYTES = 36;

/** Reads the `trak` box. Throws `MediaError` when something that is needed is missing. */
export function readTrack(bytes: Buffer, trak: Box): Mp4Track {
  const header = need(findBox(bytes, trak, ['tkhd']));
  const media = need(findBox(bytes, trak, ['mdia', 'mdhd']));
  const handler = need(findBox(bytes, trak, ['mdia', 'hdlr']));
  const isLong = bytes[media.body] === 1;
  const timescale = read32(bytes, media, isLong ? 20 : 12);
  const told = isLong ? Number(read64(bytes, media, 24)) : read32(bytes, media, 16);
  const unknown = isLong ? 2 ** 64 : 0xffff_ffff;
  const kind = kindOf(bytes.toString('latin1', handler.body + 8, handler.body + 12));
  if (timescale === 0 && kind !== 'other') throw damaged('a track of a clip has no clock');
  return {
    id: read32(bytes, header, bytes[header.body] === 1 ? 20 : 12),
    kind,
    timescale,
    toldDuration: told === unknown ? 0 : told,
    sampledDuration: sumOfSamples(bytes, trak),
    size: kind === 'video' ? sizeOf(bytes, trak) : null,
  };
}

/** Where in the file the samples of a track lie, in order and without overlaps. */
export function sampleRanges(bytes: Buffer, trak: Box): { readonly from: number; readonly to: number }[] {
  const table = findBox(bytes, trak, ['mdia', 'minf', 'stbl']);
  if (!table) return [];
  const sizes = sampleSizes(bytes, table);
  const ranges: { from: number; to: number }[] = [];
  let sample = 0;
  for (const { at, samples } of chunksOf(bytes, table)) {
    const length = sizes(sample, samples);
    sample += samples;
    ranges.push({ from: at, to: at + length });
  }
  return merged(ranges);
}

function* chunksOf(bytes: Buffer, table: Box): Generator<{ at: number; samples: number }, void, undefined> {
  const short = findBox(bytes, table, ['stco']);
  const long = findBox(bytes, table, ['co64']);
  const runsBox = findBox(bytes, table, ['stsc']);
  const runs = runsBox ? [...rowsOf(bytes, runsBox, 12)] : [];
  const offsets = short ? rowsOf(bytes, short, 4) : long ? rowsOf(bytes, long, 8) : [];
  let chunk = 0;
  let run = 0;
  for (const row of offsets) {
    chunk += 1;
    for (
      let next = runs[run + 1];
      next !== undefined && bytes.readUInt32BE(next) <= chunk;
      next = runs[run + 1]
    ) {
      run += 1;
    }
    const at = short ? bytes.readUInt32BE(row) : Number(bytes.readBigUInt64BE(row));
    const current = runs[run];
    yield { at, samples: current === undefined ? 0 : bytes.readUInt32BE(current + 4) };
  }
}

/** How many bytes so many samples from a first one on have. */
function sampleSizes(bytes: Buffer, table: Box): (first: number, samples: number) => number {
  const box = findBox(bytes, table, ['stsz']);
  if (!box) {
    // Where the samples lie cannot be told, so they cannot be removed.
    if (findBox(bytes, table, ['stz2'])) throw cannotRemove('a data track with compact sizes');
    return () => 0;
  }
  const each = read32(bytes, box, 4);
  if (each > 0) return (_first, samples) => each * samples;
  const rows = [...rowsOf(bytes, box, 4, 4)];
  return (first, samples) => {
    let sum = 0;
    for (const row of rows.slice(first, first + samples)) sum += bytes.readUInt32BE(row);
    return sum;
  };
}

/** The error for a track that is no picture and no sound, and that cannot be taken out. */
export function cannotRemove(why: string): MediaError {
  return new MediaError({ kind: 'unsupported_format', expected: 'video', format: 'MP4' }, why);
}

function merged(ranges: { from: number; to: number }[]): { from: number; to: number }[] {
  const inOrder = ranges.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  const result: { from: number; to: number }[] = [];
  for (const range of inOrder) {
    const last = result.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else result.push({ ...range });
  }
  return result;
}

function sumOfSamples(bytes: Buffer, trak: Box): number {
  const times = findBox(bytes, trak, ['mdia', 'minf', 'stbl', 'stts']);
  let sum = 0;
  if (times) {
    for (const row of rowsOf(bytes, times, 8)) sum += bytes.readUInt32BE(row) * bytes.readUInt32BE(row + 4);
  }
  return sum;
}

function sizeOf(bytes: Buffer, trak: Box): Mp4Track['size'] {
  const entries = findBox(bytes, trak, ['mdia', 'minf', 'stbl', 'stsd']);
  const first = (entries?.body ?? 0) + 8;
  if (!entries || first + VISUAL_ENTRY_BYTES > entries.end) throw damaged('a track of a clip has no format');
  return { width: bytes.readUInt16BE(first + 32), height: bytes.readUInt16BE(first + 34) };
}

function kindOf(handler: string): Mp4Track['kind'] {
  if (handler === 'vide') return 'video';
  return handler === 'soun' ? 'audio' : 'other';
}

function need(box: Box | undefined): Box {
  if (!box) throw damaged('a track of a clip is not described');
  return box;
}

function read32(bytes: Buffer, box: Box, at: number): number {
  if (box.body + at + 4 > box.end) throw damaged('a box of a clip is too short');
  return bytes.readUInt32BE(box.body + at);
}

function read64(bytes: Buffer, box: Box, at: number): bigint {
  if (box.body + at + 8 > box.end) throw damaged('a box of a clip is too short');
  return bytes.readBigUInt64BE(box.body + at);
}
