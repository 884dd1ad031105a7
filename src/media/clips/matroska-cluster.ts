import { damaged } from '../media-error.ts';
import type { EmptySpace } from '../edit.ts';
import type { MediaSource } from '../media-source.ts';
import { type Element, OnlyOnce, elementAt, readNumber } from './ebml.ts';
import { BLOCK_GROUP, type Block, SIMPLE_BLOCK, blocksOf } from './matroska-block.ts';

const TIMESTAMP = 0xe7;
/** Where the cluster lies and how large the one before is. */
const KEPT: readonly number[] = [0xa7, 0xab];

export interface ClusterOptions {
  readonly space: EmptySpace;
  readonly isAbove: (id: number) => boolean;
  /** Takes a block of a track; false when the track does not stay. */
  readonly take: (block: Block, clusterTick: number) => Promise<boolean>;
}

/**
 * Walks a cluster; returns where it ends. Blocks of tracks that do not stay become empty space, like everything that
 * is not needed. One of unknown size ends where an element of the level above begins.
 */
export async function readCluster(
  source: MediaSource,
  cluster: Element,
  { space, isAbove, take }: ClusterOptions,
): Promise<number> {
  const limit = cluster.end ?? source.sizeBytes;
  const once = new OnlyOnce([TIMESTAMP]);
  let clusterTick: number | undefined;
  let at = cluster.body;
  while (at < limit) {
    const element = await elementAt(source, at, limit);
    if (cluster.end === undefined && isAbove(element.id)) break;
    const { end } = element;
    if (end === undefined) throw damaged('an element of a clip does not tell its size');
    once.see(element.id);
    let stays = KEPT.includes(element.id);
    if (element.id === TIMESTAMP) {
      clusterTick = await readNumber(source, element);
      stays = true;
    } else if (element.id === SIMPLE_BLOCK || element.id === BLOCK_GROUP) {
      if (clusterTick === undefined) throw damaged('a cluster of a clip does not begin with its time');
      for (const block of await blocksOf(source, { ...element, end })) {
        stays = await take(block, clusterTick);
      }
    }
    if (!stays) space.add(element.start, end, cluster.body);
    at = end;
  }
  return at;
}
