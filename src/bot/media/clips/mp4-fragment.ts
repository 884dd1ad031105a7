import { damaged } from '../media-error.ts';
import { type Box, boxesIn, findBox, read32, read64 } from './mp4-boxes.ts';
import { type Sample, SAMPLES_MAX } from './mp4-samples.ts';

const HAS_BASE = 0x01;
const HAS_DESCRIPTION = 0x02;
const HAS_DURATION = 0x08;
const HAS_SIZE = 0x10;
const STARTS_AT_FRAGMENT = 0x02_0000;
const RUN_HAS_OFFSET = 0x01;
const RUN_HAS_FIRST_FLAGS = 0x04;
const ROW_DURATION = 0x100;
const ROW_SIZE = 0x200;
const ROW_FLAGS = 0x400;
const ROW_OFFSET = 0x800;
const FIELD_BYTES = 4;

/** The values for samples without their own values. */
export interface SampleDefaults {
  readonly duration: number;
  readonly sizeBytes: number;
}

/** The part of a fragment that belongs to one track. */
interface TrackFragment {
  readonly trackId: number;
  /**
   * The start in units of the track's clock; `undefined` if the fragment continues where the track's previous fragment
   * ended.
   */
  readonly startTime: number | undefined;
  /** Yields the samples of the fragment, which starts at `startTime`. */
  readonly samples: (startTime: number) => Generator<Sample, void, undefined>;
}

interface Header extends SampleDefaults {
  readonly trackId: number;
  /** The offset of the fragment's data; `undefined` if it follows the previous fragment's data. */
  readonly base: number | undefined;
}

/**
 * Yields the track fragments of a `moof` box that starts at `offset` in the file. The caller must read all samples of a
 * fragment before it requests the next fragment.
 */
export function* trackFragments(
  bytes: Buffer,
  moof: Box,
  options: { readonly offset: number; readonly defaults: ReadonlyMap<number, SampleDefaults> },
): Generator<TrackFragment, void, undefined> {
  let dataEnd = options.offset;
  for (const traf of boxesIn(bytes, moof.body, moof.end)) {
    if (traf.type !== 'traf') continue;
    const header = readHeader(bytes, findBox(bytes, traf, ['tfhd']), options);
    const start = findBox(bytes, traf, ['tfdt']);
    const base = header.base ?? dataEnd;
    yield {
      trackId: header.trackId,
      startTime: start && (bytes[start.body] === 1 ? read64(bytes, start, 4) : read32(bytes, start, 4)),
      *samples(startTime) {
        let time = startTime;
        let at = base;
        for (const run of boxesIn(bytes, traf.body, traf.end)) {
          if (run.type !== 'trun') continue;
          for (const sample of runSamples(bytes, run, { header, base, at, time })) {
            yield sample.shown;
            at = sample.shown.at + sample.shown.sizeBytes;
            time = sample.endTime;
          }
        }
        dataEnd = at;
      },
    };
  }
}

/** Reads the sample defaults from the `trex` boxes of the index (`moov`), by track id. */
export function readDefaults(bytes: Buffer, moov: Box): ReadonlyMap<number, SampleDefaults> {
  const found = new Map<number, SampleDefaults>();
  const mvex = findBox(bytes, moov, ['mvex']);
  if (!mvex) return found;
  for (const box of boxesIn(bytes, mvex.body, mvex.end)) {
    if (box.type !== 'trex') continue;
    const trackId = read32(bytes, box, 4);
    if (found.has(trackId)) throw damaged('a track of a clip has two descriptions of its fragments');
    found.set(trackId, { duration: read32(bytes, box, 12), sizeBytes: read32(bytes, box, 16) });
  }
  return found;
}

function readHeader(
  bytes: Buffer,
  tfhd: Box | undefined,
  { offset, defaults }: { readonly offset: number; readonly defaults: ReadonlyMap<number, SampleDefaults> },
): Header {
  if (!tfhd) throw damaged('a fragment of a clip has no header');
  const flags = read32(bytes, tfhd, 0) & 0xff_ffff;
  const trackId = read32(bytes, tfhd, 4);
  let at = 8;
  const next = (flag: number, width: number): number | undefined => {
    if ((flags & flag) === 0) return undefined;
    at += width;
    return width === 8 ? read64(bytes, tfhd, at - 8) : read32(bytes, tfhd, at - 4);
  };
  const base = next(HAS_BASE, 8) ?? ((flags & STARTS_AT_FRAGMENT) === 0 ? undefined : offset);
  next(HAS_DESCRIPTION, 4);
  const duration = next(HAS_DURATION, 4) ?? defaults.get(trackId)?.duration ?? 0;
  const sizeBytes = next(HAS_SIZE, 4) ?? defaults.get(trackId)?.sizeBytes ?? 0;
  return { trackId, base, duration, sizeBytes };
}

function* runSamples(
  bytes: Buffer,
  run: Box,
  from: { readonly header: Header; readonly base: number; readonly at: number; readonly time: number },
): Generator<{ readonly shown: Sample; readonly endTime: number }, void, undefined> {
  const flags = read32(bytes, run, 0) & 0xff_ffff;
  const count = read32(bytes, run, 4);
  const fields = [ROW_DURATION, ROW_SIZE, ROW_FLAGS, ROW_OFFSET].filter((field) => (flags & field) !== 0);
  const first =
    8 + (flags & RUN_HAS_OFFSET ? FIELD_BYTES : 0) + (flags & RUN_HAS_FIRST_FLAGS ? FIELD_BYTES : 0);
  const rowBytes = FIELD_BYTES * fields.length;
  if (run.body + first + count * rowBytes > run.end) throw damaged('a table of a clip is cut off');
  if (count > SAMPLES_MAX) throw damaged('a track of a clip has too many samples');
  let at = flags & RUN_HAS_OFFSET ? from.base + (read32(bytes, run, 8) | 0) : from.at;
  let { time } = from;
  for (let row = 0; row < count; row += 1) {
    const fieldAt = (field: number): number | undefined => {
      const index = fields.indexOf(field);
      return index < 0 ? undefined : read32(bytes, run, first + row * rowBytes + index * FIELD_BYTES);
    };
    const duration = fieldAt(ROW_DURATION) ?? from.header.duration;
    const sizeBytes = fieldAt(ROW_SIZE) ?? from.header.sizeBytes;
    const shown = { at: Math.max(0, at), sizeBytes, time: time + ((fieldAt(ROW_OFFSET) ?? 0) | 0), duration };
    time += duration;
    at += sizeBytes;
    yield { shown, endTime: time };
  }
}
