import { damaged } from '../media-error.ts';
import type { EmptySpace } from '../edit.ts';
import type { MediaSource } from '../media-source.ts';
import { type Element, OnlyOnce, type WholeElement, elementsFrom, readNumber } from './ebml.ts';
import { BLOCK_GROUP, type Block, SIMPLE_BLOCK, blocksOf } from './matroska-block.ts';
import { CLUSTER_PARTS, tidyElement } from './matroska-tidy.ts';

const TIMESTAMP = 0xe7;

interface ClusterOptions {
  readonly space: EmptySpace;
  /** The largest offset at which the cluster may end. */
  readonly limit: number;
  readonly isAbove: (id: number) => boolean;
  /** Adds a block to its track; returns false if the track is to be removed. */
  readonly take: (block: Block, clusterTick: number) => Promise<boolean>;
}

/**
 * Reads a cluster and returns the offset of its end. Blocks of removed tracks and all unneeded elements become empty
 * space. A cluster of unknown size ends before the next element for which `isAbove` returns true.
 */
export async function readCluster(
  source: MediaSource,
  cluster: Element,
  options: ClusterOptions,
): Promise<number> {
  const limit = cluster.end ?? options.limit;
  const once = new OnlyOnce([TIMESTAMP]);
  let clusterTick: number | undefined;
  let at = cluster.body;
  while (at < limit) {
    for (const element of await elementsFrom(source, at, limit)) {
      if (cluster.end === undefined && options.isAbove(element.id)) return element.start;
      const { end } = element;
      if (end === undefined) throw damaged('an element of a clip does not state its size');
      const whole = { ...element, end };
      once.see(element.id);
      if (element.id === TIMESTAMP) clusterTick = await readNumber(source, element);
      const isDropped = !(await stays(source, whole, { ...options, clusterTick }));
      await tidyElement(source, whole, {
        keep: isDropped ? undefined : CLUSTER_PARTS[element.id],
        space: options.space,
        parent: cluster.body,
      });
      at = end;
    }
  }
  return at;
}

/** Returns false for a block of a track that is to be removed. */
async function stays(
  source: MediaSource,
  element: WholeElement,
  { clusterTick, take }: ClusterOptions & { readonly clusterTick: number | undefined },
): Promise<boolean> {
  if (element.id !== SIMPLE_BLOCK && element.id !== BLOCK_GROUP) return true;
  if (clusterTick === undefined) throw damaged('a cluster of a clip does not start with its timestamp');
  const [block] = await blocksOf(source, element);
  return block !== undefined && take(block, clusterTick);
}
