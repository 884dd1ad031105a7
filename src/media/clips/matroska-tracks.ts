import type { Patch } from '../edit.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Element, elementsIn, readFloat, readNumber, voidElement } from './ebml.ts';

/** A track as a Matroska or WebM file describes it. */
export interface MatroskaTrack {
  readonly number: number;
  readonly kind: 'video' | 'audio' | 'other';
  readonly size: { readonly width: number; readonly height: number } | null;
}

type Whole = Element & { readonly end: number };

const TRACK = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const VIDEO = 0xe0;
const WIDTH = 0xb0;
const HEIGHT = 0xba;
/** Its name, and a checksum that holds no longer. */
const REMOVED_OF_TRACK: readonly number[] = [0x536e, 0xbf];

const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
/** What wrote the file: must be there, so it becomes empty. */
const PROGRAM_NAMES: readonly number[] = [0x4d80, 0x5741];

/** The tracks, and what to overwrite so that only pictures and sound are described, without names. */
export async function readTracks(
  source: MediaSource,
  tracks: Whole,
): Promise<{ readonly tracks: MatroskaTrack[]; readonly patches: Patch[] }> {
  const found: MatroskaTrack[] = [];
  const patches: Patch[] = [];
  for await (const entry of elementsIn(source, tracks.body, tracks.end)) {
    const own: Patch[] = [];
    const track = entry.id === TRACK ? await readTrack(source, entry, own) : undefined;
    if (track) found.push(track);
    if (track && track.kind !== 'other') patches.push(...own);
    else patches.push(...voidElement(entry.start, entry.end));
  }
  return { tracks: found, patches };
}

/** How long the file says it is, in nanoseconds, and the length of its ticks; everything else is overwritten. */
export async function readInfo(
  source: MediaSource,
  info: Whole,
): Promise<{ readonly tickNs: number; readonly durationTicks: number; readonly patches: Patch[] }> {
  let tickNs = 1_000_000;
  let durationTicks = 0;
  const patches: Patch[] = [];
  for await (const element of elementsIn(source, info.body, info.end)) {
    if (element.id === TIMESTAMP_SCALE) tickNs = await readNumber(source, element);
    else if (element.id === DURATION) durationTicks = await readFloat(source, element);
    else if (PROGRAM_NAMES.includes(element.id)) {
      patches.push({ at: element.body, zeros: element.end - element.body });
    } else patches.push(...voidElement(element.start, element.end));
  }
  if (tickNs === 0 || !(durationTicks >= 0)) throw damaged('a clip has no clock');
  return { tickNs, durationTicks, patches };
}

async function readTrack(source: MediaSource, entry: Whole, patches: Patch[]): Promise<MatroskaTrack> {
  let number = 0;
  let type = 0;
  let size: MatroskaTrack['size'] = null;
  for await (const element of elementsIn(source, entry.body, entry.end)) {
    if (element.id === TRACK_NUMBER) number = await readNumber(source, element);
    else if (element.id === TRACK_TYPE) type = await readNumber(source, element);
    else if (element.id === VIDEO) size = await readSize(source, element);
    else if (REMOVED_OF_TRACK.includes(element.id)) patches.push(...voidElement(element.start, element.end));
  }
  return { number, kind: type === 1 ? 'video' : type === 2 ? 'audio' : 'other', size };
}

async function readSize(source: MediaSource, video: Whole): Promise<{ width: number; height: number }> {
  let width = 0;
  let height = 0;
  for await (const element of elementsIn(source, video.body, video.end)) {
    if (element.id === WIDTH) width = await readNumber(source, element);
    else if (element.id === HEIGHT) height = await readNumber(source, element);
  }
  return { width, height };
}
