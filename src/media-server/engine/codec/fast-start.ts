import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { BOX_HEADER_BYTES_MAX, BOX_HEADER_BYTES_MIN } from '../../../base/mp4-box-header.ts';
import { type Mp4Box, boxAt, boxesIn } from './mp4-boxes.ts';

/** The types of the boxes on the path to the chunk offsets. Each contains other boxes. */
const CONTAINERS: readonly string[] = ['moov', 'trak', 'mdia', 'minf', 'stbl'];
const COPY_BYTES = 1 << 20;
const INDEX_BYTES_MAX = 256 * 2 ** 20;

/** Returns the path of the temporary file in which a clip is rearranged. The file then replaces the clip at `path`. */
export function indexPartOf(path: string): string {
  return `${path}.index`;
}

/**
 * Moves the index (`moov`) of the finished MP4 at `path` before its data, so that the clip can be played while it is
 * still loading. Does nothing if the index is already at the front.
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
    await using to = await open(part, 'w', 0o600);
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

async function topBoxes(file: FileHandle): Promise<Omit<Mp4Box, 'bodyStart'>[]> {
  const { size: end } = await file.stat();
  const boxes: Omit<Mp4Box, 'bodyStart'>[] = [];
  const header = new DataView(new ArrayBuffer(BOX_HEADER_BYTES_MAX));
  for (let start = 0; start + BOX_HEADER_BYTES_MIN <= end;) {
    await file.read(header, 0, BOX_HEADER_BYTES_MAX, start);
    const { type, size } = boxAt(header, 0, end - start);
    boxes.push({ type, start, size });
    start += size;
  }
  return boxes;
}

/** Adds `by` to every chunk offset in the boxes between `start` and `end`. */
function moveOffsets(index: DataView, start: number, end: number, by: number): void {
  for (const { type, start: at, bodyStart, size } of boxesIn(index, start, end)) {
    if (CONTAINERS.includes(type)) moveOffsets(index, bodyStart, at + size, by);
    const count = type === 'stco' || type === 'co64' ? index.getUint32(bodyStart + 4) : 0;
    const first = bodyStart + 8;
    for (let n = 0; n < count; n++) {
      if (type === 'stco') index.setUint32(first + n * 4, index.getUint32(first + n * 4) + by);
      else index.setBigUint64(first + n * 8, index.getBigUint64(first + n * 8) + BigInt(by));
    }
  }
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
