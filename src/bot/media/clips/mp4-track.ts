import { MediaError, damaged, unclearLength } from '../media-error.ts';
import { type Box, findBox, read32, read64 } from './mp4-boxes.ts';
import { readEdits } from './read-edits.ts';
import { SampleTables } from './mp4-samples.ts';
import { type TrackSound, demandNoClocks, readSound } from './mp4-sound.ts';

/** A track, as the clip's index describes it. */
export interface Mp4Track {
  readonly id: number;
  readonly kind: 'video' | 'audio' | 'other';
  readonly clockHz: number;
  /** The longest duration that the headers and the edit list state. */
  readonly statedSeconds: number;
  /** The time from the start of the clip to the start of the track. */
  readonly lateSeconds: number;
  /** `undefined` for video, and for sound that the bot cannot measure. */
  readonly sound: TrackSound | undefined;
  readonly tables: SampleTables | undefined;
  readonly size: { readonly width: number; readonly height: number } | null;
}

const VISUAL_ENTRY_BYTES = 36;
const SHORT_UNKNOWN = 0xffff_ffff;
const LONG_UNKNOWN = 2 ** 64;

/**
 * Reads a `trak` box. `movieHz` is the rate of the clip's clock in hertz. Throws `MediaError` if a required box is
 * missing.
 */
export function readTrack(bytes: Buffer, trak: Box, movieHz: number): Mp4Track {
  const header = need(findBox(bytes, trak, ['tkhd']));
  const media = need(findBox(bytes, trak, ['mdia', 'mdhd']));
  const kind = kindOf(bytes, trak);
  const clockHz = read32(bytes, media, isLong(bytes, media) ? 20 : 12);
  if (clockHz === 0 && kind !== 'other') throw damaged('a track of a clip has no clock');
  const table = findBox(bytes, trak, ['mdia', 'minf', 'stbl']);
  const edits = readEdits(bytes, trak);
  return {
    id: read32(bytes, header, isLong(bytes, header) ? 20 : 12),
    kind,
    clockHz,
    statedSeconds: Math.max(
      statedDuration(bytes, media, { short: 16, long: 24 }) / clockHz,
      statedDuration(bytes, header, { short: 20, long: 28 }) / movieHz,
      edits.total / movieHz,
    ),
    lateSeconds: edits.empty / movieHz,
    ...(kind === 'other' ? { sound: undefined, size: null } : formatOf(bytes, trak, { kind, clockHz })),
    tables: table && new SampleTables(bytes, table),
  };
}

/** Returns the duration in a header box, in units of its clock; 0 if it was not known when the file was written. */
export function statedDuration(
  bytes: Buffer,
  box: Box,
  at: { readonly short: number; readonly long: number },
): number {
  const stated = isLong(bytes, box) ? read64(bytes, box, at.long) : read32(bytes, box, at.short);
  return stated === (isLong(bytes, box) ? LONG_UNKNOWN : SHORT_UNKNOWN) ? 0 : stated;
}

/** Returns whether a box has version 1, which uses 8-byte numbers. */
export function isLong(bytes: Buffer, box: Box): boolean {
  return bytes[box.body] === 1;
}

/** Creates the error for a track that is neither video nor sound and cannot be removed. */
export function cannotRemove(why: string): MediaError {
  return new MediaError({ kind: 'unsupported_format', expected: 'video', format: 'MP4' }, why);
}

function formatOf(
  bytes: Buffer,
  trak: Box,
  { kind, clockHz }: { readonly kind: 'video' | 'audio'; readonly clockHz: number },
): Pick<Mp4Track, 'sound' | 'size'> {
  const entries = findBox(bytes, trak, ['mdia', 'minf', 'stbl', 'stsd']);
  if (!entries) throw damaged('a track of a clip has no format');
  demandNoClocks(bytes, entries);
  if (kind === 'audio') return { sound: readSound(bytes, entries, clockHz), size: null };
  const first = entries.body + 8;
  if (first + VISUAL_ENTRY_BYTES > entries.end) throw damaged('a track of a clip has no format');
  const size = { width: bytes.readUInt16BE(first + 32), height: bytes.readUInt16BE(first + 34) };
  return { sound: undefined, size };
}

/**
 * Returns the kind of a track. QuickTime has a second handler in `minf`, which some programs use to determine the kind;
 * the two handlers must not differ.
 */
function kindOf(bytes: Buffer, trak: Box): Mp4Track['kind'] {
  const handler = need(findBox(bytes, trak, ['mdia', 'hdlr']));
  const data = findBox(bytes, trak, ['mdia', 'minf', 'hdlr']);
  if (data && handlerOf(bytes, data) !== 'other') {
    throw unclearLength('twice', 'a track of a clip states two kinds');
  }
  return handlerOf(bytes, handler);
}

function handlerOf(bytes: Buffer, { body }: Box): Mp4Track['kind'] {
  const handler = bytes.toString('latin1', body + 8, body + 12);
  if (handler === 'vide') return 'video';
  return handler === 'soun' ? 'audio' : 'other';
}

function need(box: Box | undefined): Box {
  if (!box) throw damaged('a track of a clip is not described');
  return box;
}
