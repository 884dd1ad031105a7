import type { EmptySpace, Patches } from '../edit.ts';
import { withoutFlacComments } from '../sounds/sound-comments.ts';
import { type Box, boxesIn, findBox } from './mp4-boxes.ts';

/** The children that each box keeps. All other children become free space. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  moov: words('mvhd trak mvex'),
  trak: words('tkhd mdia edts tapt'),
  edts: words('elst'),
  tapt: words('clef prof enof'),
  mdia: words('mdhd hdlr minf'),
  minf: words('vmhd smhd nmhd gmhd hdlr dinf stbl'),
  dinf: words('dref'),
  gmhd: words('gmin'),
  stbl: words('stsd stts ctts cslg stss stsh stsc stsz stz2 stco co64 sdtp sgpd sbgp subs saiz saio'),
  mvex: words('mehd trex'),
  moof: words('mfhd traf'),
  traf: words('tfhd tfdt trun sdtp sgpd sbgp subs saiz saio'),
};
const SHORT_HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;
const HANDLER_NAME_AT = 24;
const ENTRY_HEAD_BYTES = 12;
const VENDOR_AT = 12;
const VENDOR_BYTES = 4;
const PROGRAM_AT = 42;
const PROGRAM_BYTES = 32;
const SOUND_ENTRY_BYTES = 28;

/** The changes to make: ranges that become free space, and bytes that are overwritten. */
interface Tidied {
  readonly space: EmptySpace;
  readonly patches: Patches;
}

/**
 * Collects the changes that clean the box at `offset` in the file, which was read into `bytes`. The box then only
 * describes how to play the kept tracks, without user data, dates, program names or paths. Sizes and offsets do not
 * change.
 */
export function tidyBox(
  tidied: Tidied,
  { bytes, offset }: { readonly bytes: Buffer; readonly offset: number },
  box: Box,
  isDropped: (trak: Box) => boolean,
): void {
  const kept = KEPT[box.type];
  if (!kept) return tidyLeaf(tidied.patches, bytes, box, offset);
  for (const child of boxesIn(bytes, box.body, box.end)) {
    if (!kept.has(child.type) || (child.type === 'trak' && isDropped(child))) {
      tidied.space.add(offset + child.start, offset + child.end, offset + box.body);
    } else tidyBox(tidied, { bytes, offset }, child, isDropped);
  }
  if (box.type === 'mdia') tidyEntries(tidied.patches, bytes, box, offset);
}

/** Clears program names in the sample descriptions, and the comments in FLAC descriptions. */
function tidyEntries(patches: Patches, bytes: Buffer, media: Box, offset: number): void {
  const handler = findBox(bytes, media, ['hdlr']);
  const stsd = findBox(bytes, media, ['minf', 'stbl', 'stsd']);
  if (!handler || !stsd) return;
  const isVideo = bytes.toString('latin1', handler.body + 8, handler.body + 12) === 'vide';
  for (const { type, body, end } of boxesIn(bytes, Math.min(stsd.body + 8, stsd.end), stsd.end)) {
    const zero = (from: number, length: number): void =>
      patches.zero(offset + body + from, Math.max(0, Math.min(length, end - body - from)));
    zero(VENDOR_AT, VENDOR_BYTES);
    if (isVideo) zero(PROGRAM_AT, PROGRAM_BYTES);
    const blocksAt = type === 'fLaC' ? bytes.subarray(body, end).indexOf('dfLa', SOUND_ENTRY_BYTES) : -1;
    if (blocksAt < 0) continue;
    // `blocksAt` is the offset of the box's name. The box's length precedes the name; the version and flags follow it.
    const box = body + blocksAt - 4;
    const blocks = bytes.subarray(box + 12, Math.min(end, box + bytes.readUInt32BE(box)));
    patches.write(offset + box + 12, withoutFlacComments(blocks));
  }
}

/** Returns the header of a `free` box that is `length` bytes long, including the header. */
export function freeHead(length: number): Buffer {
  if (length <= 0xffff_ffff) {
    const head = Buffer.alloc(SHORT_HEAD_BYTES);
    head.writeUInt32BE(length);
    head.write('free', 4, 'latin1');
    return head;
  }
  const head = Buffer.alloc(LONG_HEAD_BYTES);
  head.writeUInt32BE(1);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(length), 8);
  return head;
}

function tidyLeaf(patches: Patches, bytes: Buffer, box: Box, offset: number): void {
  const zero = ({ body, end }: Box, from: number, length: number): void => {
    patches.zero(offset + body + from, Math.max(0, Math.min(length, end - body - from)));
  };
  switch (box.type) {
    case 'mvhd':
    case 'tkhd':
    case 'mdhd':
      // The creation and modification times take 4 bytes each, or 8 bytes each in version 1 of the box.
      return zero(box, 4, bytes[box.body] === 1 ? 16 : 8);
    case 'hdlr':
      return zero(box, HANDLER_NAME_AT, box.end - box.body);
    case 'dref':
      for (const entry of dataReferences(bytes, box)) {
        zero(entry, ENTRY_HEAD_BYTES - (entry.body - entry.start), entry.end - entry.start);
      }
      return;
    default:
  }
}

function dataReferences(bytes: Buffer, dref: Box): Iterable<Box> {
  return boxesIn(bytes, Math.min(dref.body + 8, dref.end), dref.end);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
