import type { Patch } from '../edit.ts';
import { type Box, boxesIn } from './mp4-boxes.ts';

/** What the boxes that describe pictures and sound are made of. Everything else in them becomes free space. */
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
const FREE = Buffer.from('free', 'latin1');
const HANDLER_NAME_AT = 24;
const ENTRY_HEAD_BYTES = 12;

/**
 * What to overwrite so that the box at `offset` of the file, read into `bytes`, tells nothing but how to play
 * the tracks that stay: no user data, dates, names of programs or paths. Sizes and places do not change.
 */
export function tidyBox(bytes: Buffer, box: Box, offset: number, isDropped: (trak: Box) => boolean): Patch[] {
  const kept = KEPT[box.type];
  if (!kept) return tidyLeaf(bytes, box, offset);
  const patches: Patch[] = [];
  for (const child of boxesIn(bytes, box.body, box.end)) {
    if (!kept.has(child.type) || (child.type === 'trak' && isDropped(child))) {
      patches.push(...freeBox(child, offset));
    } else patches.push(...tidyBox(bytes, child, offset, isDropped));
  }
  return patches;
}

/** The box becomes free space of zeros. */
export function freeBox({ start, body, end }: Box, offset: number): Patch[] {
  return [
    { at: offset + start + 4, bytes: FREE },
    { at: offset + body, zeros: end - body },
  ];
}

function tidyLeaf(bytes: Buffer, box: Box, offset: number): Patch[] {
  switch (box.type) {
    case 'mvhd':
    case 'tkhd':
    case 'mdhd':
      // When it was made and changed; in the second version of the box in 8 bytes each.
      return zeros(box, offset, 4, bytes[box.body] === 1 ? 16 : 8);
    case 'hdlr':
      return zeros(box, offset, HANDLER_NAME_AT, box.end - box.body - HANDLER_NAME_AT);
    case 'dref':
      return [...dataReferences(bytes, box)].flatMap((entry) => {
        return zeros(entry, offset, ENTRY_HEAD_BYTES - 8, entry.end - entry.start - ENTRY_HEAD_BYTES);
      });
    default:
      return [];
  }
}

function dataReferences(bytes: Buffer, dref: Box): Iterable<Box> {
  return boxesIn(bytes, Math.min(dref.body + 8, dref.end), dref.end);
}

function zeros({ body, end }: Box, offset: number, from: number, length: number): Patch[] {
  const fitting = Math.min(length, end - body - from);
  return fitting > 0 ? [{ at: offset + body + from, zeros: fitting }] : [];
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
