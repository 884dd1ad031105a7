import type { Patch } from '../edit.ts';
import type { Examined } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Element, elementAt, voidElement } from './ebml.ts';
import { readCluster } from './matroska-cluster.ts';
import { type MatroskaTrack, readInfo, readTracks } from './matroska-tracks.ts';

const HEADER = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const SEEK_HEAD = 0x114d9b74;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const CUES = 0x1c53bb6b;
const CLUSTER = 0x1f43b675;
const CHAPTERS = 0x1043a770;
const TAGS = 0x1254c367;
const ATTACHMENTS = 0x1941a469;
const LEVEL_1: readonly number[] = [SEEK_HEAD, INFO, TRACKS, CUES, CLUSTER, CHAPTERS, TAGS, ATTACHMENTS];
const NS_PER_SECOND = 1e9;

interface Walk {
  readonly source: MediaSource;
  readonly patches: Patch[];
  tracks: readonly MatroskaTrack[];
  tickNs: number;
  ticks: number;
}

/**
 * A WebM or Matroska file keeps its pictures and sound. Tags, attachments, chapters, titles, dates and every
 * other track become empty space where they are, so that all places stay right.
 */
export async function examineMatroska(source: MediaSource): Promise<Examined> {
  const walk: Walk = { source, patches: [], tracks: [], tickNs: 1_000_000, ticks: 0 };
  for (let at = 0; at < source.sizeBytes;) {
    const element = await elementAt(source, at, source.sizeBytes);
    const end = element.end ?? source.sizeBytes;
    if (element.id === SEGMENT) await visitSegment(walk, element.body, end);
    else if (element.id !== HEADER) walk.patches.push(...voidElement(element.start, end));
    at = end;
  }
  const sizes = walk.tracks.flatMap(({ kind, size }) => (kind === 'video' && size ? [size] : []));
  return {
    edit: { how: 'patch', patches: walk.patches },
    durationSeconds: (walk.ticks * walk.tickNs) / NS_PER_SECOND,
    hasVideo: walk.tracks.some(({ kind }) => kind === 'video'),
    hasAudio: walk.tracks.some(({ kind }) => kind === 'audio'),
    size: sizes.sort((a, b) => b.width * b.height - a.width * a.height)[0] ?? null,
  };
}

async function visitSegment(walk: Walk, from: number, to: number): Promise<void> {
  for (let at = from; at < to;) {
    const element = await elementAt(walk.source, at, to);
    if (element.id === CLUSTER) at = await visitCluster(walk, element);
    else if (element.end === undefined) throw damaged('an element of a clip does not tell its size');
    else {
      await visitPart(walk, { ...element, end: element.end });
      at = element.end;
    }
  }
}

async function visitCluster(walk: Walk, element: Element): Promise<number> {
  const cluster = await readCluster(walk.source, element, {
    stays: (number) => walk.tracks.some((track) => track.number === number && track.kind !== 'other'),
    isAbove: (id) => LEVEL_1.includes(id),
  });
  walk.patches.push(...cluster.patches);
  walk.ticks = Math.max(walk.ticks, cluster.lastTick);
  return cluster.end;
}

async function visitPart(walk: Walk, element: Element & { readonly end: number }): Promise<void> {
  if (element.id === INFO) {
    const { tickNs, durationTicks, patches } = await readInfo(walk.source, element);
    walk.tickNs = tickNs;
    walk.ticks = Math.max(walk.ticks, durationTicks);
    walk.patches.push(...patches);
  } else if (element.id === TRACKS) {
    const { tracks, patches } = await readTracks(walk.source, element);
    walk.tracks = [...walk.tracks, ...tracks];
    walk.patches.push(...patches);
  } else if (element.id !== SEEK_HEAD && element.id !== CUES) {
    walk.patches.push(...voidElement(element.start, element.end));
  }
}
