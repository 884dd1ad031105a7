import { BOX_HEADER_BYTES_MIN, mp4BoxHeader } from '../../../base/mp4-box-header.ts';
import { damaged, unclearLength } from '../media-error.ts';

/** A box of an MP4 or QuickTime file: the offsets of its start, its body and its end in the bytes that were read. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** No honest box has this many children; boxes that contain tables have one or two dozen. */
const CHILDREN_MAX = 10_000;

/** Yields the boxes of `bytes` from `from` to `to`. Throws `MediaError` if one is damaged. */
export function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = from, children = 0; start < to; children += 1) {
    if (children === CHILDREN_MAX) throw damaged('a clip has too many boxes');
    // QuickTime ends some lists with four zero bytes.
    if (to - start < BOX_HEADER_BYTES_MIN) {
      if (bytes.subarray(start, to).every((byte) => byte === 0)) return;
      throw damaged('a box of a clip is cut off');
    }
    const header = mp4BoxHeader(view, start, to - start);
    if (!header || start + header.sizeBytes > to) throw damaged('a box of a clip is cut off');
    const end = start + header.sizeBytes;
    yield { type: header.type, start, body: start + header.headerBytes, end };
    start = end;
  }
}

/**
 * Finds the box at `path` within `parent`. Throws `MediaError` if there are two boxes of one type, because some
 * programs use the first one and others the last.
 */
export function findBox(bytes: Buffer, parent: Box, path: readonly string[]): Box | undefined {
  const [wanted, ...rest] = path;
  let found: Box | undefined;
  for (const box of boxesIn(bytes, parent.body, parent.end)) {
    if (box.type !== wanted) continue;
    if (found) throw unclearLength('twice', 'a clip has two boxes where one is allowed');
    found = box;
  }
  return found === undefined || rest.length === 0 ? found : findBox(bytes, found, rest);
}

/**
 * The rows of a table box. They have a fixed size and come after the version, the flags, optional additional fields and
 * a count.
 */
export interface Table {
  readonly count: number;
  /** Returns the offset of the row with this index. */
  readonly row: (index: number) => number;
}

/**
 * Returns the table in a box. `headBytes` is the size of the additional fields. Throws `MediaError` if the rows do not
 * fit into the box.
 */
export function tableOf(bytes: Buffer, box: Box, rowBytes: number, headBytes: number = 0): Table {
  const countAt = box.body + 4 + headBytes;
  if (countAt + 4 > box.end) throw damaged('a table of a clip is cut off');
  const count = bytes.readUInt32BE(countAt);
  const first = countAt + 4;
  if (first + count * rowBytes > box.end) throw damaged('a table of a clip is cut off');
  return { count, row: (index) => first + index * rowBytes };
}

/** Reads the 4-byte number at offset `at` in a box's body. */
export function read32(bytes: Buffer, box: Box, at: number): number {
  if (box.body + at + 4 > box.end) throw damaged('a box of a clip is too short');
  return bytes.readUInt32BE(box.body + at);
}

/** Reads the 8-byte number at offset `at` in a box's body; numbers above 2^53 are not exact. */
export function read64(bytes: Buffer, box: Box, at: number): number {
  if (box.body + at + 8 > box.end) throw damaged('a box of a clip is too short');
  return Number(bytes.readBigUInt64BE(box.body + at));
}
