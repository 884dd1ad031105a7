import { type Box, boxesIn, findBox } from './mp4-boxes.ts';
import { damaged } from '../media-error.ts';

const HAS_BASE = 0x01;
const HAS_DESCRIPTION = 0x02;
const HAS_DURATION = 0x08;
const RUN_HAS_OFFSET = 0x01;
const RUN_HAS_FIRST_FLAGS = 0x04;
const RUN_HAS_DURATION = 0x100;
const ROW_FIELDS = [0x100, 0x200, 0x400, 0x800];

/** How long, in units of its track, each track fragment of a `moof` box lasts, by track id. */
export function* fragmentDurations(
  bytes: Buffer,
  moof: Box,
  defaults: ReadonlyMap<number, number>,
): Generator<{ readonly trackId: number; readonly duration: number }, void, undefined> {
  for (const traf of boxesIn(bytes, moof.body, moof.end)) {
    if (traf.type !== 'traf') continue;
    const { trackId, duration } = fragmentHeader(bytes, findBox(bytes, traf, ['tfhd']), defaults);
    for (const run of boxesIn(bytes, traf.body, traf.end)) {
      if (run.type === 'trun') yield { trackId, duration: runDuration(bytes, run, duration) };
    }
  }
}

/** The duration of a sample where nothing else is said, by track id: the `trex` boxes of an index. */
export function defaultDurations(bytes: Buffer, moov: Box): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const mvex = findBox(bytes, moov, ['mvex']);
  if (!mvex) return found;
  for (const { type, body, end } of boxesIn(bytes, mvex.body, mvex.end)) {
    if (type !== 'trex') continue;
    if (end - body < 24) throw damaged('a box of a clip is too short');
    found.set(bytes.readUInt32BE(body + 4), bytes.readUInt32BE(body + 12));
  }
  return found;
}

function fragmentHeader(
  bytes: Buffer,
  tfhd: Box | undefined,
  defaults: ReadonlyMap<number, number>,
): { trackId: number; duration: number } {
  if (!tfhd || tfhd.end - tfhd.body < 8) throw damaged('a fragment of a clip has no header');
  const flags = bytes.readUInt32BE(tfhd.body) & 0xff_ffff;
  const trackId = bytes.readUInt32BE(tfhd.body + 4);
  if ((flags & HAS_DURATION) === 0) return { trackId, duration: defaults.get(trackId) ?? 0 };
  const at = tfhd.body + 8 + (flags & HAS_BASE ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0);
  if (at + 4 > tfhd.end) throw damaged('a box of a clip is too short');
  return { trackId, duration: bytes.readUInt32BE(at) };
}

function runDuration(bytes: Buffer, run: Box, each: number): number {
  if (run.end - run.body < 8) throw damaged('a box of a clip is too short');
  const flags = bytes.readUInt32BE(run.body) & 0xff_ffff;
  const count = bytes.readUInt32BE(run.body + 4);
  if ((flags & RUN_HAS_DURATION) === 0) return count * each;
  const first = run.body + 8 + (flags & RUN_HAS_OFFSET ? 4 : 0) + (flags & RUN_HAS_FIRST_FLAGS ? 4 : 0);
  const rowBytes = 4 * ROW_FIELDS.filter((field) => (flags & field) !== 0).length;
  if (first + count * rowBytes > run.end) throw damaged('a table of a clip is cut off');
  let sum = 0;
  for (let row = 0; row < count; row += 1) sum += bytes.readUInt32BE(first + row * rowBytes);
  return sum;
}
