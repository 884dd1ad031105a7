import { type SampleTables, SAMPLES_MAX } from './mp4-samples.ts';
import { cannotRemove } from './mp4-track.ts';

/** A byte range in the file; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** No honest clip has this many chunks in a track that is neither video nor sound. */
const CHUNKS_MAX = 200_000;

/** Returns the ranges of the file that contain the samples of a track, sorted and without overlaps. */
export function sampleRanges(tables: SampleTables): Range[] {
  if (tables.count > SAMPLES_MAX) throw cannotRemove('a data track of many samples');
  const ranges: Range[] = [];
  let sample = 0;
  for (const { at, samples } of tables.chunks()) {
    const first = sample;
    sample += samples;
    if (sample > tables.count || ranges.length === CHUNKS_MAX)
      throw cannotRemove('a data track of many pieces');
    let length = 0;
    for (let index = first; index < sample; index += 1) length += tables.sizes.of(index);
    ranges.push({ from: at, to: at + length });
  }
  return merged(ranges);
}

/** Sorts ranges and merges those that overlap. */
export function merged(ranges: readonly Range[]): Range[] {
  const inOrder = ranges.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  const result: { from: number; to: number }[] = [];
  for (const range of inOrder) {
    const last = result.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else result.push({ ...range });
  }
  return result;
}
