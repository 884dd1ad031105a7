import { EmptySpace, Patches } from '../edit.ts';
import type { Examined } from '../examined.ts';
import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { PACKET_BYTES_MAX } from '../sounds/sound-meter.ts';
import { OnlyOnce, type WholeElement, elementsFrom, voidHead } from './ebml.ts';
import type { Block } from './matroska-block.ts';
import { readCluster } from './read-cluster.ts';
import { type MatroskaTrack, readInfo, readTracks } from './matroska-tracks.ts';
import { CUES_PARTS, HEADER_PARTS, type Keep, SEEK_HEAD_PARTS, tidyElement } from './matroska-tidy.ts';
import { Playhead } from './playhead.ts';

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
const KEPT: readonly number[] = [SEEK_HEAD, INFO, TRACKS, CUES];
/** The elements that players use to find the parts of a file. */
const INDEXES: ReadonlyMap<number, Keep> = new Map([
  [SEEK_HEAD, SEEK_HEAD_PARTS],
  [CUES, CUES_PARTS],
]);
const NS_PER_SECOND = 1e9;

/** The parent of elements at the top level of the file. */
const TOP = -1;

interface Track extends MatroskaTrack {
  readonly playhead: Playhead;
}

interface Walk {
  readonly source: MediaSource;
  readonly patches: Patches;
  readonly space: EmptySpace;
  readonly once: OnlyOnce;
  readonly tracks: Map<number, Track>;
  tickSeconds: number;
  statedSeconds: number;
}

/**
 * Examines a WebM or Matroska file. The clean file keeps its video and sound. Tags, attachments, chapters, titles,
 * dates and all other tracks become empty space in place, so that all offsets stay valid.
 */
export async function examineMatroska(source: MediaSource): Promise<Examined> {
  const walk: Walk = {
    source,
    patches: new Patches(),
    space: new EmptySpace(),
    once: new OnlyOnce([HEADER, SEGMENT, INFO, TRACKS]),
    tracks: new Map(),
    tickSeconds: 1e-3,
    statedSeconds: 0,
  };
  for (let at = 0; at < source.sizeBytes;) {
    for (const element of await elementsFrom(source, at, source.sizeBytes)) {
      const end = element.end ?? source.sizeBytes;
      walk.once.see(element.id);
      if (element.id === SEGMENT) await visitSegment(walk, element.body, end);
      else
        await tidy(
          walk,
          { ...element, end },
          { keep: element.id === HEADER ? HEADER_PARTS : undefined, parent: TOP },
        );
      at = end;
    }
  }
  const tracks = [...walk.tracks.values()];
  const sizes = tracks.flatMap(({ kind, size }) => (kind === 'video' && size ? [size] : []));
  walk.space.patch(walk.patches, voidHead);
  return {
    edit: { how: 'patch', patches: walk.patches.all },
    durationSeconds: Math.max(walk.statedSeconds, ...tracks.map(({ playhead }) => playhead.seconds)),
    hasVideo: tracks.some(({ kind }) => kind === 'video'),
    hasAudio: tracks.some(({ kind }) => kind === 'audio'),
    size: sizes.sort((a, b) => b.width * b.height - a.width * a.height)[0] ?? null,
  };
}

async function visitSegment(walk: Walk, from: number, to: number): Promise<void> {
  // The parent to record for empty space. After a cluster of unknown size, that is the cluster, because readers take
  // the space as part of it.
  let parent = from;
  for (let at = from; at < to;) {
    for (const element of await elementsFrom(walk.source, at, to)) {
      walk.once.see(element.id);
      if (element.id === CLUSTER) {
        at = await readCluster(walk.source, element, {
          space: walk.space,
          limit: to,
          isAbove: (id) => LEVEL_1.includes(id),
          take: (block, clusterTick) => takeBlock(walk, block, clusterTick),
        });
        parent = element.end === undefined ? element.body : from;
      } else if (element.end === undefined) throw damaged('an element of a clip does not state its size');
      else {
        if (KEPT.includes(element.id)) parent = from;
        await visitPart(walk, { ...element, end: element.end }, parent);
        at = element.end;
      }
    }
  }
}

async function takeBlock(walk: Walk, block: Block, clusterTick: number): Promise<boolean> {
  const track = walk.tracks.get(block.track);
  if (!track) return false;
  const { packetSeconds, playhead, sound } = track;
  const from = (clusterTick + block.tick) * walk.tickSeconds;
  playhead.show(from, Math.max(block.durationTicks * walk.tickSeconds, block.packets.length * packetSeconds));
  if (!sound) return true;
  for (const { at, sizeBytes } of block.packets) {
    if (sound.headBytes > 0 && sizeBytes > PACKET_BYTES_MAX) throw damaged('a packet of sound is too large');
    const head = await walk.source.upTo(at, Math.min(sound.headBytes, sizeBytes));
    playhead.play(from, sound.seconds(head, sizeBytes));
  }
  return true;
}

async function visitPart(walk: Walk, element: WholeElement, parent: number): Promise<void> {
  if (element.id === INFO) {
    // The times of earlier blocks were computed with the default clock rate.
    if ([...walk.tracks.values()].some(({ playhead }) => playhead.seconds > 0)) {
      throw unclearLength('speed', 'a clip states its clock too late');
    }
    const { tickNs, durationTicks } = await readInfo(walk.source, element, walk);
    walk.tickSeconds = tickNs / NS_PER_SECOND;
    walk.statedSeconds = durationTicks * walk.tickSeconds;
  } else if (element.id === TRACKS) {
    for (const track of await readTracks(walk.source, element, walk)) {
      walk.tracks.set(track.number, { ...track, playhead: new Playhead() });
    }
  } else await tidy(walk, element, { keep: INDEXES.get(element.id), parent });
}

function tidy(
  { source, space }: Walk,
  element: WholeElement,
  { keep, parent }: { readonly keep: Keep | undefined; readonly parent: number },
): Promise<void> {
  return tidyElement(source, element, { keep, space, parent });
}
