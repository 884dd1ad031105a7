import { BOX_HEADER_BYTES_MIN, mp4BoxHeader } from '../../../base/mp4-box-header.ts';

/** A box of an MP4 or QuickTime file: a header with size and type, and what it holds. */
export interface Mp4Box {
  /** Four characters. */
  readonly type: string;
  /** Where its header begins, and what it holds. */
  readonly start: number;
  readonly bodyStart: number;
  /** With its header. */
  readonly size: number;
}

/** The box that begins at `start`. `left` is how many bytes there are from there on. Throws when it is damaged. */
export function boxAt(view: DataView, start: number, left: number): Mp4Box {
  const header = mp4BoxHeader(view, start, left);
  if (!header) throw damaged();
  return { type: header.type, start, bodyStart: start + header.headerBytes, size: header.sizeBytes };
}

/** The boxes from `start` to `end`, one after the other. Throws when one is damaged. */
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

/** What the box at `path` holds, or undefined where there is none. Throws when one on the way is damaged. */
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
