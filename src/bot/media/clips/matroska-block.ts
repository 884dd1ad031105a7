import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type WholeElement, elementsIn, readNumber, sizeAt, trackNumber, widthOf } from './ebml.ts';

/** A block: one packet of a track, or several packets with the same timestamp. */
export interface Block {
  readonly track: number;
  /** The timestamp in ticks, relative to the cluster's timestamp. */
  readonly tick: number;
  /** The duration according to the file; 0 if the file states none. */
  readonly durationTicks: number;
  /** The position of each packet in the file. */
  readonly packets: readonly { readonly at: number; readonly sizeBytes: number }[];
}

export const SIMPLE_BLOCK = 0xa3;
export const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_DURATION = 0x9b;
/** The header of a block: up to 8 bytes for the track number, 2 for the timestamp and 1 for the flags. */
const BLOCK_HEAD_BYTES_MAX = 11;
const LACES_MAX = 256;

/**
 * Reads the blocks in an element of a cluster. A simple block is itself the only block, a block group contains at most
 * one, and any other element contains none.
 */
export async function blocksOf(source: MediaSource, element: WholeElement): Promise<readonly Block[]> {
  if (element.id === SIMPLE_BLOCK) return [await readBlock(source, element)];
  if (element.id !== BLOCK_GROUP) return [];
  const blocks: Block[] = [];
  let durationTicks = 0;
  for await (const child of elementsIn(source, element.body, element.end)) {
    if (child.id === BLOCK) {
      if (blocks.length > 0) throw damaged('a group of a clip has two blocks');
      blocks.push(await readBlock(source, child));
    } else if (child.id === BLOCK_DURATION) {
      durationTicks = Math.max(durationTicks, await readNumber(source, child));
    }
  }
  return blocks.map((block) => ({ ...block, durationTicks }));
}

async function readBlock(source: MediaSource, { body, end }: WholeElement): Promise<Block> {
  const head = await source.upTo(body, Math.min(end - body, BLOCK_HEAD_BYTES_MAX));
  const { track, width } = trackNumber(head);
  const from = body + width + 3;
  if (from > end) throw damaged('a block of a clip is cut off');
  const lacing = (head.readUInt8(width + 2) >> 1) & 3;
  const packets =
    lacing === 0 ? [{ at: from, sizeBytes: end - from }] : await lacedPackets(source, { from, end, lacing });
  return { track, tick: head.readInt16BE(width), durationTicks: 0, packets };
}

/**
 * Finds the packets in a block that contains several packets (lacing). With lacing of the kinds 1 and 3, the packets
 * are preceded by the sizes of all packets but the last; otherwise all packets have the same size.
 */
async function lacedPackets(
  source: MediaSource,
  { from, end, lacing }: { readonly from: number; readonly end: number; readonly lacing: number },
): Promise<Block['packets']> {
  const head = await source.upTo(from, Math.min(end - from, 1 + LACES_MAX * 8 * 4));
  const count = (head[0] ?? 0) + 1;
  const { sizes, at } =
    lacing === 1
      ? addedSizes(head, count)
      : lacing === 3
        ? relativeSizes(head, count)
        : evenSizes(end - from, count);
  const packets: { at: number; sizeBytes: number }[] = [];
  let next = from + at;
  for (const sizeBytes of sizes) {
    packets.push({ at: next, sizeBytes });
    next += sizeBytes;
  }
  if (sizes.some((size) => size < 0) || next > end) throw damaged('a block of a clip is cut off');
  packets.push({ at: next, sizeBytes: end - next });
  return packets;
}

interface Laces {
  readonly sizes: readonly number[];
  /** The offset of the first packet, relative to the start of the list of sizes. */
  readonly at: number;
}

/** Reads Xiph lacing: each size is the sum of consecutive bytes, up to and including the first byte below 255. */
function addedSizes(head: Buffer, count: number): Laces {
  const sizes: number[] = [];
  let at = 1;
  while (sizes.length < count - 1) {
    let size = 0;
    let byte = 255;
    while (byte === 255) {
      const next = head[at];
      if (next === undefined) throw damaged('a block of a clip is cut off');
      byte = next;
      size += byte;
      at += 1;
    }
    sizes.push(size);
  }
  return { sizes, at };
}

/**
 * Reads EBML lacing: the first size is an EBML number; each further number is the difference from the size before it.
 */
function relativeSizes(head: Buffer, count: number): Laces {
  const sizes: number[] = [];
  let at = 1;
  while (sizes.length < count - 1) {
    const width = widthOf(head[at]);
    const value = width > 8 || at + width > head.length ? undefined : sizeAt(head, at, width);
    if (value === undefined) throw damaged('a block of a clip is cut off');
    const before = sizes.at(-1);
    sizes.push(before === undefined ? value : before + value - (2 ** (7 * width - 1) - 1));
    at += width;
  }
  return { sizes, at };
}

function evenSizes(length: number, count: number): Laces {
  return { sizes: Array<number>(count - 1).fill(Math.floor((length - 1) / count)), at: 1 };
}
