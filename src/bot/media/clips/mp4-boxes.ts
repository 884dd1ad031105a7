import { BOX_HEADER_BYTES_MIN, mp4BoxHeader } from '../../../base/mp4-box-header.ts';
import { damaged, unclearLength } from '../media-error.ts';

/** A box of an MP4 or QuickTime file within bytes that were read: where it begins, its body and its end. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** No honest box has more children; those that hold tables have one or two dozen. */
const CHILDREN_MAX = 10_000;

/** The boxes of `bytes` from `from` to `to`, one after the other. Throws `MediaError` when one is damaged. */
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
 * The box at `path` within `parent`. Throws `MediaError` when there are two of one type: some programs believe the
 * first, others the last.
 */
export function findBox(bytes: Buffer, parent: Box, path: readonly string[]): Box | undefined {
  const [wanted, ...rest] = path;
  let found: Box | undefined;
  for (const box of boxesIn(bytes, parent.body, parent.end)) {
    if (box.type !== wanted) continue;
    if (found) throw unclearLength('twice', 'a clip has two boxes where one belongs');
    found = box;
  }
  return found === undefined || rest.length === 0 ? found : findBox(bytes, found, rest);
}

/** A table box: after version and flags (and more of the head) a count, then rows of one size. */
export interface Table {
  readonly count: number;
  /** Where the row with this index begins. */
  readonly row: (index: number) => number;
}

/** Throws `MediaError` when the table does not fit into its box. */
export function tableOf(bytes: Buffer, box: Box, rowBytes: number, headBytes: number = 0): Table {
  const countAt = box.body + 4 + headBytes;
  if (countAt + 4 > box.end) throw damaged('a table of a clip is cut off');
  const count = bytes.readUInt32BE(countAt);
  const first = countAt + 4;
  if (first + count * rowBytes > box.end) throw damaged('a table of a clip is cut off');
  return { count, row: (index) => first + index * rowBytes };
}

/** The number of 4 bytes at `at` of the body of the box. */
export function read32(bytes: Buffer, box: Box, at: number): number {
  if (box.body + at + 4 > box.end) throw damaged('a box of a clip is too short');
  return bytes.readUInt32BE(box.body + at);
}

/** The number of 8 bytes there; a large one is not exact. */
export function read64(bytes: Buffer, box: Box, at: number): number {
  if (box.body + at + 8 > box.end) throw damaged('a box of a clip is too short');
  return Number(bytes.readBigUInt64BE(box.body + at));
}
