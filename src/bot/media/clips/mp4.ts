import { BOX_HEADER_BYTES_MAX, BOX_HEADER_BYTES_MIN, mp4BoxHeader } from '../../../base/mp4-box-header.ts';
import { EmptySpace, Patches } from '../edit.ts';
import type { Examined } from '../examined.ts';
import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Box, boxesIn, findBox, read32 } from './mp4-boxes.ts';
import { type SampleDefaults, readDefaults, trackFragments } from './mp4-fragment.ts';
import { Mp4Length } from './mp4-length.ts';
import { freeHead, tidyBox } from './mp4-tidy.ts';
import { type Range, merged, sampleRanges } from './mp4-ranges.ts';
import { type Mp4Track, cannotRemove, isLong, readTrack, statedDuration } from './mp4-track.ts';

/** The largest index that is read. A 500 MB clip's index has a few megabytes. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024;
const BOXES_MAX = 200_000;
const TRACKS_MAX = 100;
const UNTOUCHED: ReadonlySet<string> = new Set(['ftyp', 'styp', 'mdat', 'pad']);
/** The parent of boxes at the top level of the file. */
const TOP = -1;

interface Walk {
  readonly source: MediaSource;
  readonly patches: Patches;
  readonly space: EmptySpace;
  readonly tracks: Map<number, { readonly track: Mp4Track; readonly length: Mp4Length }>;
  /** The ranges that may contain samples, in file order, and the ranges of the samples to erase. */
  readonly data: Range[];
  readonly erased: Range[];
  hasIndex: boolean;
  defaults: ReadonlyMap<number, SampleDefaults>;
  statedSeconds: number;
}

/**
 * Examines an MP4, QuickTime or M4A file. The clean file keeps its video and sound. User data, places, dates, names and
 * all other tracks (a camera's GPS log, subtitles) are overwritten in place, so that all offsets stay valid. The tables
 * for seeking in fragments are also overwritten, because they contain their own times.
 */
export async function examineMp4(source: MediaSource): Promise<Examined> {
  const walk: Walk = {
    source,
    patches: new Patches(),
    space: new EmptySpace(),
    tracks: new Map(),
    data: [],
    erased: [],
    hasIndex: false,
    defaults: new Map(),
    statedSeconds: 0,
  };
  let boxes = 0;
  for (let at = 0; at < source.sizeBytes; boxes += 1) {
    if (boxes === BOXES_MAX) throw damaged('a clip has too many boxes');
    const box = await topBoxAt(source, at);
    await visit(walk, box);
    at = box.end;
  }
  eraseSamples(walk);
  return summary(walk);
}

async function topBoxAt(source: MediaSource, at: number): Promise<Box> {
  const head = await source.upTo(at, BOX_HEADER_BYTES_MAX);
  const left = source.sizeBytes - at;
  // Some programs leave a few zero bytes at the end.
  if (head.length < BOX_HEADER_BYTES_MIN && head.every((byte) => byte === 0))
    return { type: 'pad', start: at, body: at, end: at + left };
  const header = mp4BoxHeader(new DataView(head.buffer, head.byteOffset, head.byteLength), 0, left);
  if (!header || header.sizeBytes > left) throw damaged('a box of a clip is cut off');
  return { type: header.type, start: at, body: at + header.headerBytes, end: at + header.sizeBytes };
}

async function visit(walk: Walk, box: Box): Promise<void> {
  if (box.type === 'mdat') walk.data.push({ from: box.body, to: box.end });
  if (box.type === 'moov') await visitIndex(walk, box);
  else if (box.type === 'moof') await visitFragment(walk, box);
  else if (!UNTOUCHED.has(box.type)) walk.space.add(box.start, box.end, TOP);
}

async function visitIndex(walk: Walk, box: Box): Promise<void> {
  if (walk.hasIndex) throw unclearLength('twice', 'a clip has two indexes');
  walk.hasIndex = true;
  const { bytes, whole } = await readBox(walk.source, box);
  const movieHz = readMovie(walk, bytes, whole);
  const found: { readonly trak: Box; readonly track: Mp4Track }[] = [];
  for (const trak of boxesIn(bytes, whole.body, whole.end)) {
    if (trak.type !== 'trak') continue;
    if (found.length === TRACKS_MAX) throw damaged('a clip has too many tracks');
    found.push({ trak, track: readTrack(bytes, trak, movieHz) });
  }
  const dropped = new Set<number>();
  for (const { trak, track } of found) {
    const stays = isKept(track, found);
    if (walk.tracks.has(track.id)) throw unclearLength('twice', 'two tracks of a clip have the same number');
    const length = new Mp4Length(track);
    walk.tracks.set(track.id, { track: stays ? track : { ...track, kind: 'other' }, length });
    if (stays && track.tables) await length.addIndex(walk.source, track.tables);
    if (stays) continue;
    dropped.add(trak.start);
    if (track.tables) walk.erased.push(...sampleRanges(track.tables));
  }
  walk.defaults = readDefaults(bytes, whole);
  tidyBox(walk, { bytes, offset: box.start }, whole, (trak) => dropped.has(trak.start));
}

/** Reads the clip's header and returns the rate of its clock in hertz. */
function readMovie(walk: Walk, bytes: Buffer, moov: Box): number {
  const header = findBox(bytes, moov, ['mvhd']);
  const clockHz = header && read32(bytes, header, isLong(bytes, header) ? 20 : 12);
  if (!header || !clockHz) throw damaged('a clip has no clock');
  const fragments = findBox(bytes, moov, ['mvex', 'mehd']);
  const stated = statedDuration(bytes, header, { short: 16, long: 24 });
  const statedInFragments = fragments ? statedDuration(bytes, fragments, { short: 4, long: 4 }) : 0;
  walk.statedSeconds = Math.max(stated, statedInFragments) / clockHz;
  return clockHz;
}

/**
 * Returns whether a track is kept. Sound that the bot cannot measure is removed if there is other sound; phones, for
 * example, record spatial sound in addition to stereo.
 */
function isKept(track: Mp4Track, all: readonly { readonly track: Mp4Track }[]): boolean {
  if (track.kind !== 'audio' || track.sound) return track.kind !== 'other';
  if (all.some((other) => other.track.sound)) return false;
  throw unclearLength('sound', 'the sound of a clip cannot be measured');
}

/**
 * Overwrites the samples of the removed tracks. They must lie in the media data, because everything else was parsed
 * as structure.
 */
function eraseSamples({ patches, data, erased }: Walk): void {
  let index = 0;
  for (const { from, to } of merged(erased)) {
    while (index < data.length && (data[index]?.to ?? 0) < to) index += 1;
    if (from < (data[index]?.from ?? Infinity)) throw damaged('a track of a clip lies outside its data');
    patches.zero(from, to - from);
  }
}

async function visitFragment(walk: Walk, box: Box): Promise<void> {
  const { bytes, whole } = await readBox(walk.source, box);
  const { defaults } = walk;
  for (const fragment of trackFragments(bytes, whole, { offset: box.start, defaults })) {
    const own = walk.tracks.get(fragment.trackId);
    if (!own) throw damaged('a fragment of a clip belongs to no track');
    if (own.track.kind === 'other') throw cannotRemove('a data track in fragments');
    for (const sample of fragment.samples(fragment.startTime ?? own.length.decoded)) {
      await own.length.add(walk.source, sample);
    }
  }
  tidyBox(walk, { bytes, offset: box.start }, whole, () => false);
}

async function readBox(source: MediaSource, box: Box): Promise<{ bytes: Buffer; whole: Box }> {
  const length = box.end - box.start;
  if (length > INDEX_BYTES_MAX) throw damaged('the index of a clip is too large');
  const bytes = await source.bytes(box.start, length);
  return { bytes, whole: { type: box.type, start: 0, body: box.body - box.start, end: length } };
}

function summary({ patches, space, tracks, statedSeconds }: Walk): Examined {
  const kept = [...tracks.values()].filter(({ track }) => track.kind !== 'other');
  const sizes = kept.flatMap(({ track }) => (track.size ? [track.size] : []));
  space.patch(patches, freeHead);
  return {
    edit: { how: 'patch', patches: patches.all },
    durationSeconds: Math.max(
      statedSeconds,
      ...kept.map(({ track, length }) => Math.max(track.statedSeconds, length.seconds)),
    ),
    hasVideo: kept.some(({ track }) => track.kind === 'video'),
    hasAudio: kept.some(({ track }) => track.kind === 'audio'),
    size: sizes.sort((a, b) => b.width * b.height - a.width * a.height)[0] ?? null,
  };
}
