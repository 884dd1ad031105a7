import type { EmptySpace } from '../edit.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type WholeElement, elementsIn } from './ebml.ts';

/**
 * How much of an element's content is kept when a file is cleaned: a number of at most 8 bytes, the whole content, or
 * only the named children.
 */
export type Keep = 'number' | 'bytes' | Parts;

interface Parts {
  readonly [id: number]: Keep;
}

const NUMBER_BYTES_MAX = 8;

/** EBML version, minimum reader version, maximum lengths of ids and sizes, document type and its versions. */
export const HEADER_PARTS: Parts = numbers('4286 42f7 42f2 42f3 4282 4287 4285');

export const SEEK_HEAD_PARTS: Parts = { 0x4dbb: numbers('53ab 53ac') };

export const CUES_PARTS: Parts = {
  0xbb: { ...numbers('b3'), 0xb7: numbers('f7 f1 f0 b2 5378 ea') },
};

/** Number and type, flags for automatic playback, cache sizes, timing, codec, and how to present video and sound. */
export const TRACK_PARTS: Parts = {
  ...numbers('d7 73c5 83 b9 88 55aa 9c 6de7 6df8 23e383 234e7a 23314f 55ee 56aa 56bb'),
  0x86: 'bytes',
  0x63a2: 'bytes',
  // The video settings.
  0xe0: {
    ...numbers('9a 9d 53b8 53b9 53c0 b0 ba 54aa 54bb 54cc 54dd 54b0 54ba 54b2 54b3 2eb524 2383e3'),
    // The colours, and the colours of the screen on which the clip was mastered.
    0x55b0: {
      ...numbers('55b1 55b2 55b3 55b4 55b5 55b6 55b7 55b8 55b9 55ba 55bb 55bc 55bd'),
      0x55d0: numbers('55d1 55d2 55d3 55d4 55d5 55d6 55d7 55d8 55d9 55da'),
    },
    0x7670: numbers('7671 7673 7674 7675'),
  },
  // The audio settings.
  0xe1: numbers('b5 78b5 9f 6264 52f1'),
  // Compression or encryption on top of the codec.
  0x6d80: { 0x6240: { ...numbers('5031 5032 5033'), 0x5034: { ...numbers('4254'), 0x4255: 'bytes' } } },
};

/**
 * The cluster's timestamp and position, the previous cluster's size, and simple blocks and block groups with their
 * children.
 */
export const CLUSTER_PARTS: Parts = {
  ...numbers('e7 a7 ab'),
  0xa3: 'bytes',
  0xa0: {
    ...numbers('9b fa fb 75a2'),
    0xa1: 'bytes',
    // The alpha channel.
    0x75a1: { 0xa6: { ...numbers('ee'), 0xa5: 'bytes' } },
  },
};

interface TidyOptions {
  /** The content to keep; `undefined` if the whole element is removed. */
  readonly keep: Keep | undefined;
  readonly space: EmptySpace;
  /** The offset at which the parent's body starts. */
  readonly parent: number;
}

/** Adds to `space` all data in an element, at every level, that must become empty space. */
export async function tidyElement(
  source: MediaSource,
  element: WholeElement,
  { keep, space, parent }: TidyOptions,
): Promise<void> {
  const { start, body, end } = element;
  if (keep === undefined) space.add(start, end, parent);
  else if (keep === 'number') {
    if (end - body > NUMBER_BYTES_MAX) throw damaged('a number of a clip is too long');
  } else if (keep !== 'bytes') {
    for await (const part of elementsIn(source, body, end)) {
      await tidyElement(source, part, { keep: keep[part.id], space, parent: body });
    }
  }
}

/** Returns the rules for elements that each hold one number. `ids` lists their ids in hexadecimal. */
function numbers(ids: string): Parts {
  return Object.fromEntries(ids.split(' ').map((id) => [Number.parseInt(id, 16), 'number']));
}
