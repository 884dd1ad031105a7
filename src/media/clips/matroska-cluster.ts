import type { Patch } from '../edit.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Element, elementAt, elementsIn, readNumber, readTrackNumber, voidElement } from './ebml.ts';

const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;
/** Where the cluster lies and how large the one before is. */
const KEPT: readonly number[] = [0xa7, 0xab];

/** What was seen of a cluster: where it ends, its last moment, and what to overwrite. */
export interface Cluster {
  readonly end: number;
  readonly lastTick: number;
  readonly patches: readonly Patch[];
}

/**
 * Walks a cluster. Blocks of tracks that do not stay become empty space, like everything that is not needed.
 * One of unknown size ends where an element of the level above begins.
 */
export async function readCluster(
  source: MediaSource,
  cluster: Element,
  options: { readonly stays: (track: number) => boolean; readonly isAbove: (id: number) => boolean },
): Promise<Cluster> {
  const limit = cluster.end ?? source.sizeBytes;
  const patches: Patch[] = [];
  let startTick = 0;
  let lastTick = 0;
  let at = cluster.body;
  while (at < limit) {
    const element = await elementAt(source, at, limit);
    if (cluster.end === undefined && options.isAbove(element.id)) break;
    const { end } = element;
    if (end === undefined) throw damaged('an element of a clip does not tell its size');
    const whole = { ...element, end };
    const block = await blockOf(source, whole);
    if (element.id === TIMESTAMP) startTick = await readNumber(source, element);
    else if (block && options.stays(block.track)) lastTick = Math.max(lastTick, startTick + block.lastTick);
    else if (!KEPT.includes(element.id)) patches.push(...voidElement(element.start, end));
    at = end;
  }
  return { end: at, lastTick: Math.max(lastTick, startTick), patches };
}

interface Block {
  readonly track: number;
  /** After the start of the cluster. */
  readonly lastTick: number;
}

async function blockOf(
  source: MediaSource,
  element: Element & { readonly end: number },
): Promise<Block | undefined> {
  if (element.id === SIMPLE_BLOCK) return readBlock(source, element.body);
  if (element.id !== BLOCK_GROUP) return undefined;
  let block: Block | undefined;
  let duration = 0;
  for await (const child of elementsIn(source, element.body, element.end)) {
    if (child.id === BLOCK) block = await readBlock(source, child.body);
    else if (child.id === BLOCK_DURATION) duration = await readNumber(source, child);
  }
  return block && { track: block.track, lastTick: block.lastTick + duration };
}

async function readBlock(source: MediaSource, at: number): Promise<Block> {
  const { track, width } = await readTrackNumber(source, at);
  return { track, lastTick: (await source.bytes(at + width, 2)).readInt16BE() };
}
