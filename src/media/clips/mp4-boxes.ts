import { damaged } from '../media-error.ts';

/** A box of an MP4 or QuickTime file within bytes that were read: where it begins, its body and its end. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** The boxes of `bytes` from `from` to `to`, one after the other. Throws `MediaError` when one is damaged. */
export function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box, void, undefined> {
  for (let start = from; start < to;) {
    // QuickTime ends some lists with four zero bytes.
    if (to - start < 8) {
      if (bytes.subarray(start, to).every((byte) => byte === 0)) return;
      throw damaged('a box of a clip is cut off');
    }
    const short = bytes.readUInt32BE(start);
    const body = start + (short === 1 ? 16 : 8);
    if (body > to) throw damaged('a box of a clip is cut off');
    const size = short === 1 ? Number(bytes.readBigUInt64BE(start + 8)) : short === 0 ? to - start : short;
    const end = start + size;
    if (end < body || end > to) throw damaged('a box of a clip is cut off');
    yield { type: bytes.toString('latin1', start + 4, start + 8), start, body, end };
    start = end;
  }
}

/** The first box at `path` within `parent`. */
export function findBox(bytes: Buffer, parent: Box, path: readonly string[]): Box | undefined {
  const [wanted, ...rest] = path;
  for (const box of boxesIn(bytes, parent.body, parent.end)) {
    if (box.type !== wanted) continue;
    return rest.length === 0 ? box : findBox(bytes, box, rest);
  }
  return undefined;
}

/** The rows of a table box: after version and flags (and `headBytes` more) a count, then rows of `rowBytes`. */
export function* rowsOf(
  bytes: Buffer,
  box: Box,
  rowBytes: number,
  headBytes: number = 0,
): Generator<number, void, undefined> {
  const countAt = box.body + 4 + headBytes;
  if (countAt + 4 > box.end) throw damaged('a table of a clip is cut off');
  const count = bytes.readUInt32BE(countAt);
  const first = countAt + 4;
  if (first + count * rowBytes > box.end) throw damaged('a table of a clip is cut off');
  for (let row = 0; row < count; row += 1) yield first + row * rowBytes;
}
