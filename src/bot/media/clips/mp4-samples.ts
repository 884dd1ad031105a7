import { damaged } from '../media-error.ts';
import { type Box, type Table, findBox, tableOf } from './mp4-boxes.ts';
import { type Sizes, sampleSizes } from './mp4-sizes.ts';

/** A sample of a track: a video frame, or a packet of sound. Times are in units of the track's clock. */
export interface Sample {
  /** The offset of the sample in the file. */
  readonly at: number;
  readonly sizeBytes: number;
  /** The time at which the sample is shown or played. `duration` states for how long. */
  readonly time: number;
  readonly duration: number;
}

/** Consecutive samples of a track. */
interface Chunk {
  readonly at: number;
  readonly samples: number;
}

/** More than four hours at 60 frames per second. Samples of uncompressed sound in the index do not count. */
export const SAMPLES_MAX = 1_000_000;
const NO_TABLE: Table = { count: 0, row: () => 0 };
/** An offset beyond the end of every file. */
const NOWHERE: number = Number.MAX_SAFE_INTEGER;

/** The sample tables in a track's index. */
export class SampleTables {
  /** The number of samples in the longest table. */
  readonly count: number;
  /** The total duration of the samples, in units of the track's clock. */
  readonly duration: number;
  readonly sizes: Sizes;
  readonly #bytes: Buffer;
  readonly #durations: Table;
  readonly #offsets: Table;
  readonly #places: { readonly table: Table; readonly isLong: boolean };
  readonly #runs: Table;

  /** Reads an `stbl` box. Throws `MediaError` if it is damaged. */
  constructor(bytes: Buffer, stbl: Box) {
    const table = (type: string, rowBytes: number): Table | undefined => {
      const box = findBox(bytes, stbl, [type]);
      return box && tableOf(bytes, box, rowBytes);
    };
    const short = table('stco', 4);
    const long = table('co64', 8);
    if (short && long) throw damaged('a clip has two tables of offsets');
    this.#bytes = bytes;
    this.#durations = table('stts', 8) ?? NO_TABLE;
    this.#offsets = table('ctts', 8) ?? NO_TABLE;
    this.#places = { table: short ?? long ?? NO_TABLE, isLong: long !== undefined };
    this.#runs = table('stsc', 12) ?? NO_TABLE;
    this.sizes = sampleSizes(bytes, stbl);
    const { count, duration, last } = this.#totals();
    let inChunks = 0;
    for (const { samples } of this.chunks()) inChunks += samples;
    this.count = Math.max(count, this.sizes.count, inChunks);
    // Decoders repeat the last value of a table for samples beyond its end.
    this.duration = duration + (this.count - count) * last;
  }

  get totalBytes(): number {
    const { each, total } = this.sizes;
    return each === undefined ? total : each * this.count;
  }

  /** The largest delay between decoding and showing a sample. */
  get latest(): number {
    let latest = 0;
    for (let index = 0; index < this.#offsets.count; index += 1) {
      latest = Math.max(latest, this.#bytes.readInt32BE(this.#offsets.row(index) + 4));
    }
    return latest;
  }

  *chunks(): Generator<Chunk, void, undefined> {
    const { table, isLong } = this.#places;
    const runs = this.#runs;
    let run = 0;
    for (let chunk = 0; chunk < table.count; chunk += 1) {
      while (run + 1 < runs.count && this.#bytes.readUInt32BE(runs.row(run + 1)) <= chunk + 1) run += 1;
      const row = table.row(chunk);
      yield {
        at: isLong ? Number(this.#bytes.readBigUInt64BE(row)) : this.#bytes.readUInt32BE(row),
        samples: run < runs.count ? this.#bytes.readUInt32BE(runs.row(run) + 4) : 0,
      };
    }
  }

  /** Yields all samples that appear in any of the tables. Throws `MediaError` if there are too many. */
  *samples(): Generator<Sample, void, undefined> {
    if (this.count > SAMPLES_MAX) throw damaged('a track of a clip has too many samples');
    const bytes = this.#bytes;
    const durationOfNext = runLengths(bytes, this.#durations, (row) => bytes.readUInt32BE(row));
    const offsetOfNext = runLengths(bytes, this.#offsets, (row) => bytes.readInt32BE(row));
    let decoded = 0;
    let index = 0;
    for (const at of this.#sampleStarts()) {
      const duration = durationOfNext();
      yield { at, sizeBytes: this.sizes.of(index), time: decoded + offsetOfNext(), duration };
      decoded += duration;
      index += 1;
    }
  }

  *#sampleStarts(): Generator<number, void, undefined> {
    let index = 0;
    for (const chunk of this.chunks()) {
      let { at } = chunk;
      for (const end = index + chunk.samples; index < end; index += 1) {
        yield at;
        at += this.sizes.of(index);
      }
    }
    for (; index < this.count; index += 1) yield NOWHERE;
  }

  #totals(): { count: number; duration: number; last: number } {
    let count = 0;
    let duration = 0;
    let last = 0;
    for (let index = 0; index < this.#durations.count; index += 1) {
      const row = this.#durations.row(index);
      const samples = this.#bytes.readUInt32BE(row);
      last = this.#bytes.readUInt32BE(row + 4);
      count += samples;
      duration += samples * last;
    }
    return { count, duration, last };
  }
}

/**
 * Returns a function that returns the next sample's value with each call. Each row of the table holds a number of
 * samples and the value that they share.
 */
function runLengths(bytes: Buffer, table: Table, valueAt: (row: number) => number): () => number {
  let index = 0;
  let left = 0;
  let value = 0;
  return () => {
    for (; left === 0 && index < table.count; index += 1) {
      const row = table.row(index);
      left = bytes.readUInt32BE(row);
      value = valueAt(row + 4);
    }
    // Decoders repeat the last value of a table for samples beyond its end.
    left = Math.max(0, left - 1);
    return value;
  };
}
