import type { Patch } from '../edit.ts';
import type { Examined } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Box, boxesIn } from './mp4-boxes.ts';
import { defaultDurations, fragmentDurations } from './mp4-fragment.ts';
import { freeBox, tidyBox } from './mp4-tidy.ts';
import { type Mp4Track, cannotRemove, readTrack, sampleRanges } from './mp4-track.ts';

/** The largest index that is read: one of 500 MB has a few megabytes. */
const INDEX_BYTES_MAX = 16 * 1024 * 1024;
const BOXES_MAX = 200_000;
const UNTOUCHED: ReadonlySet<string> = new Set(['ftyp', 'styp', 'mdat', 'sidx', 'ssix', 'mfra']);
const SPACE: ReadonlySet<string> = new Set(['free', 'skip', 'wide']);

interface Walk {
  readonly source: MediaSource;
  readonly patches: Patch[];
  readonly tracks: Map<number, Mp4Track>;
  readonly defaults: Map<number, number>;
  /** In units of each track. */
  readonly fragments: Map<number, number>;
}

/**
 * An MP4, QuickTime or M4A file keeps its pictures and sound. User data, places, dates, names and every other
 * track (a camera's GPS log, subtitles) are overwritten where they are, so that all offsets stay right.
 */
export async function examineMp4(source: MediaSource): Promise<Examined> {
  const walk: Walk = { source, patches: [], tracks: new Map(), defaults: new Map(), fragments: new Map() };
  let boxes = 0;
  for (let at = 0; at < source.sizeBytes; boxes += 1) {
    if (boxes === BOXES_MAX) throw damaged('a clip has too many boxes');
    const box = await topBoxAt(source, at);
    await visit(walk, box);
    at = box.end;
  }
  return summary(walk);
}

async function topBoxAt(source: MediaSource, at: number): Promise<Box> {
  const head = await source.upTo(at, 16);
  const left = source.sizeBytes - at;
  // Some programs leave a few zero bytes at the end.
  if (head.length < 8 && head.every((byte) => byte === 0))
    return { type: 'pad', start: at, body: at, end: at + left };
  const short = head.length < 8 ? -1 : head.readUInt32BE();
  const isLong = short === 1 && head.length === 16;
  const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? left : short;
  const body = at + (isLong ? 16 : 8);
  if (at + size < body || size > left) throw damaged('a box of a clip is cut off');
  return { type: head.toString('latin1', 4, 8), start: at, body, end: at + size };
}

async function visit(walk: Walk, box: Box): Promise<void> {
  if (box.type === 'moov') await visitIndex(walk, box);
  else if (box.type === 'moof') await visitFragment(walk, box);
  else if (SPACE.has(box.type)) walk.patches.push({ at: box.body, zeros: box.end - box.body });
  else if (!UNTOUCHED.has(box.type) && box.type !== 'pad') walk.patches.push(...freeBox(box, 0));
}

async function visitIndex(walk: Walk, box: Box): Promise<void> {
  const { bytes, whole } = await readBox(walk.source, box);
  const dropped = new Set<number>();
  for (const trak of boxesIn(bytes, whole.body, whole.end)) {
    if (trak.type !== 'trak') continue;
    const track = readTrack(bytes, trak);
    walk.tracks.set(track.id, track);
    if (track.kind !== 'other') continue;
    dropped.add(trak.start);
    for (const { from, to } of sampleRanges(bytes, trak)) {
      if (to > walk.source.sizeBytes) throw damaged('a track of a clip lies beyond its end');
      walk.patches.push({ at: from, zeros: to - from });
    }
  }
  for (const [id, duration] of defaultDurations(bytes, whole)) walk.defaults.set(id, duration);
  walk.patches.push(...tidyBox(bytes, whole, box.start, (trak) => dropped.has(trak.start)));
}

async function visitFragment(walk: Walk, box: Box): Promise<void> {
  const { bytes, whole } = await readBox(walk.source, box);
  for (const { trackId, duration } of fragmentDurations(bytes, whole, walk.defaults)) {
    if (walk.tracks.get(trackId)?.kind === 'other') throw cannotRemove('a data track in fragments');
    walk.fragments.set(trackId, (walk.fragments.get(trackId) ?? 0) + duration);
  }
  walk.patches.push(...tidyBox(bytes, whole, box.start, () => false));
}

async function readBox(source: MediaSource, box: Box): Promise<{ bytes: Buffer; whole: Box }> {
  const length = box.end - box.start;
  if (length > INDEX_BYTES_MAX) throw damaged('the index of a clip is too large');
  const bytes = await source.bytes(box.start, length);
  return { bytes, whole: { type: box.type, start: 0, body: box.body - box.start, end: length } };
}

function summary({ patches, tracks, fragments }: Walk): Examined {
  const kept = [...tracks.values()].filter(({ kind }) => kind !== 'other');
  const lengths = kept.map(({ id, toldDuration, sampledDuration, timescale }) => {
    return Math.max(toldDuration, sampledDuration + (fragments.get(id) ?? 0)) / timescale;
  });
  const sizes = kept.flatMap(({ size }) => (size ? [size] : []));
  return {
    edit: { how: 'patch', patches },
    durationSeconds: Math.max(0, ...lengths),
    hasVideo: kept.some(({ kind }) => kind === 'video'),
    hasAudio: kept.some(({ kind }) => kind === 'audio'),
    size: sizes.sort((a, b) => b.width * b.height - a.width * a.height)[0] ?? null,
  };
}
