import { BOX_HEADER_BYTES_MIN, mp4BoxHeader } from '../../../base/mp4-box-header.ts';

/** A box of an MP4 or QuickTime file: a header with size and type, followed by its body. */
export interface Mp4Box {
  /** The type of the box, which has four characters. */
  readonly type: string;
  /** The offsets of the box's header and body. */
  readonly start: number;
  readonly bodyStart: number;
  /** The size in bytes, including the header. */
  readonly size: number;
}

/** Returns the box at `start`. `left` is the number of bytes from `start` to the end. Throws if the box is damaged. */
export function boxAt(view: DataView, start: number, left: number): Mp4Box {
  const header = mp4BoxHeader(view, start, left);
  if (!header) throw damaged();
  return { type: header.type, start, bodyStart: start + header.headerBytes, size: header.sizeBytes };
}

/** Yields the boxes from `start` to `end`. Throws if one is damaged. */
export function* boxesIn(
  view: DataView,
  start: number = 0,
  end: number = view.byteLength,
): Generator<Mp4Box, void, undefined> {
  for (let at = start; at + BOX_HEADER_BYTES_MIN <= end;) {
    const box = boxAt(view, at, end - at);
    if (at + box.size > end) throw damaged();
    yield box;
    at += box.size;
  }
}

/**
 * Returns the body of the box at `path`, or `undefined` if there is none. Throws if a box on the path is
 * damaged.
 */
export function findBox(parent: DataView, path: readonly string[]): DataView | undefined {
  const [wanted, ...rest] = path;
  for (const { type, start, bodyStart, size } of boxesIn(parent)) {
    if (type !== wanted) continue;
    const body = new DataView(parent.buffer, parent.byteOffset + bodyStart, start + size - bodyStart);
    return rest.length === 0 ? body : findBox(body, rest);
  }
  return undefined;
}

function damaged(): Error {
  return new Error('Cannot read a clip: it is damaged');
}
