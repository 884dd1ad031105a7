import { damaged } from '../media-error.ts';
import { type Box, findBox, read32, tableOf } from './mp4-boxes.ts';

/** The sizes of a track's samples, in bytes. */
export interface Sizes {
  readonly count: number;
  /** The size of each sample if all have the same size. */
  readonly each?: number;
  readonly total: number;
  readonly of: (sample: number) => number;
}

/** Reads the sizes from an `stbl` box. Throws `MediaError` if a table is damaged. */
export function sampleSizes(bytes: Buffer, stbl: Box): Sizes {
  const box = findBox(bytes, stbl, ['stsz']);
  const compact = findBox(bytes, stbl, ['stz2']);
  if (box && compact) throw damaged('a clip has two tables of sizes');
  if (compact) return compactSizes(bytes, compact);
  if (!box) return { count: 0, total: 0, of: () => 0 };
  const each = read32(bytes, box, 4);
  if (each > 0) {
    const count = read32(bytes, box, 8);
    return { count, each, total: each * count, of: () => each };
  }
  const { count, row } = tableOf(bytes, box, 4, 4);
  return summed(count, (sample) => bytes.readUInt32BE(row(sample)));
}

/** Reads a table with sizes of 4, 8 or 16 bits. */
function compactSizes(bytes: Buffer, box: Box): Sizes {
  const bits = read32(bytes, box, 4) & 0xff;
  const count = read32(bytes, box, 8);
  const first = box.body + 12;
  if (![4, 8, 16].includes(bits) || first + Math.ceil((count * bits) / 8) > box.end) {
    throw damaged('a table of a clip is cut off');
  }
  return summed(count, (sample) => {
    if (bits === 16) return bytes.readUInt16BE(first + sample * 2);
    if (bits === 8) return bytes.readUInt8(first + sample);
    return (bytes.readUInt8(first + (sample >> 1)) >> (sample & 1 ? 0 : 4)) & 0x0f;
  });
}

function summed(count: number, of: (sample: number) => number): Sizes {
  let total = 0;
  for (let sample = 0; sample < count; sample += 1) total += of(sample);
  return { count, total, of: (sample) => (sample < count ? of(sample) : 0) };
}
