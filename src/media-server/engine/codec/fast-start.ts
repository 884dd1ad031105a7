import { type FileHandle, open, rename, rm } from 'node:fs/promises';

interface Box {
  readonly type: string;
  readonly start: number;
  readonly size: number;
}

/** Boxes that hold other boxes on the way to the chunk offsets. */
const CONTAINERS: readonly string[] = ['moov', 'trak', 'mdia', 'minf', 'stbl'];
const COPY_BYTES = 1 << 20;
const INDEX_BYTES_MAX = 256 * 2 ** 20;

/** Where a clip is put together again; it takes the place of the one at `path`. */
export function indexPartOf(path: string): string {
  return `${path}.index`;
}

/**
 * Moves the index (`moov`) of the finished MP4 at `path` before its data, so that it plays while it is still being
 * loaded. Leaves a file alone whose index is in front already.
 */
export async function moveIndexToFront(path: string): Promise<void> {
  const part = indexPartOf(path);
  try {
    await using from = await open(path, 'r');
    const boxes = await topBoxes(from);
    const index = boxes.find(({ type }) => type === 'moov');
    const first = boxes.find(({ type }) => type === 'mdat');
    if (!index || !first || index.start < first.start) return;
    if (index.size > INDEX_BYTES_MAX) throw new Error('Cannot move the index of a clip: it is too large');
    const moved = new Uint8Array(index.size);
    await from.read(moved, 0, index.size, index.start);
    moveOffsets(new DataView(moved.buffer), 0, index.size, index.size);
    await using to = await open(part, 'w');
    await copy(from, to, 0, first.start);
    await to.write(moved);
    await copy(from, to, first.start, index.start);
    await copy(from, to, index.start + index.size, (await from.stat()).size);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await rename(part, path);
}

async function topBoxes(file: FileHandle): Promise<Box[]> {
  const { size: end } = await file.stat();
  const boxes: Box[] = [];
  const header = new DataView(new ArrayBuffer(16));
  for (let start = 0; start + 8 <= end;) {
    await file.read(header, 0, 16, start);
    const short = header.getUint32(0);
    const size = short === 1 ? Number(header.getBigUint64(8)) : short === 0 ? end - start : short;
    if (size < 8) throw new Error('Cannot move the index of a clip: it is damaged');
    boxes.push({ type: typeOf(header, 4), start, size });
    start += size;
  }
  return boxes;
}

/** Adds `by` to every chunk offset between `start` and `end`. */
function moveOffsets(index: DataView, start: number, end: number, by: number): void {
  for (let at = start; at + 8 <= end;) {
    const size = index.getUint32(at);
    const type = typeOf(index, at + 4);
    if (size < 8) throw new Error('Cannot move the index of a clip: it is damaged');
    if (CONTAINERS.includes(type)) moveOffsets(index, at + 8, at + size, by);
    const count = type === 'stco' || type === 'co64' ? index.getUint32(at + 12) : 0;
    for (let n = 0; n < count; n++) {
      if (type === 'stco') index.setUint32(at + 16 + n * 4, index.getUint32(at + 16 + n * 4) + by);
      else index.setBigUint64(at + 16 + n * 8, index.getBigUint64(at + 16 + n * 8) + BigInt(by));
    }
    at += size;
  }
}

function typeOf(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4));
}

async function copy(from: FileHandle, to: FileHandle, start: number, end: number): Promise<void> {
  const buffer = new Uint8Array(COPY_BYTES);
  for (let at = start; at < end;) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(COPY_BYTES, end - at), at);
    if (bytesRead === 0) throw new Error('Cannot move the index of a clip: it ends early');
    await to.write(buffer, 0, bytesRead);
    at += bytesRead;
  }
}
