import type { Readable } from 'node:stream';
import { BOX_HEADER_BYTES_MIN } from '../../../base/mp4-box-header.ts';
import { boxAt, findBox } from './mp4-boxes.ts';

/** One raw picture from FFmpeg and its times in seconds. */
interface RawPicture {
  readonly data: Uint8Array;
  readonly timestamp: number;
  readonly duration: number;
}

const HEADER_BYTES_MAX = 1 << 20;

/**
 * Reads the pictures of a fragmented QuickTime stream with one uncompressed track and one picture per
 * fragment. In this format, FFmpeg outputs raw pictures with exact times. Copies each picture into the buffer
 * that `bufferFor` returns. A truncated stream ends early.
 */
export async function* readMovPictures(
  stream: Readable,
  bufferFor: () => Uint8Array,
): AsyncGenerator<RawPicture> {
  const reader = new ByteReader(stream);
  let ticksPerSecond = 1;
  let times = { timestamp: 0, duration: 0 };
  for (;;) {
    const header = await reader.read(BOX_HEADER_BYTES_MIN);
    if (!header) return;
    const { type, size: wholeSize } = boxAt(header, 0, BOX_HEADER_BYTES_MIN);
    const size = wholeSize - BOX_HEADER_BYTES_MIN;
    if (type === 'mdat') {
      const data = bufferFor();
      if (size !== data.length || !(await reader.readInto(data))) return;
      yield { data, ...times };
      continue;
    }
    if (size < 0 || size > HEADER_BYTES_MAX) return;
    const body = await reader.read(size);
    if (!body) return;
    if (type === 'moov') ticksPerSecond = timescaleOf(body);
    if (type === 'moof') times = timesOf(body, ticksPerSecond);
  }
}

function timescaleOf(moov: DataView): number {
  const mdhd = findBox(moov, ['trak', 'mdia', 'mdhd']);
  if (!mdhd) return 1;
  return Math.max(1, mdhd.getUint32(mdhd.getUint8(0) === 1 ? 20 : 12));
}

function timesOf(moof: DataView, ticksPerSecond: number): { timestamp: number; duration: number } {
  const start = findBox(moof, ['traf', 'tfdt']);
  const header = findBox(moof, ['traf', 'tfhd']);
  const run = findBox(moof, ['traf', 'trun']);
  const at = start ? Number(start.getUint8(0) === 1 ? start.getBigUint64(4) : start.getUint32(4)) : 0;
  const length = runDuration(run) ?? defaultDuration(header) ?? 0;
  return { timestamp: at / ticksPerSecond, duration: length / ticksPerSecond };
}

/** Returns the first sample's own duration if the fragment contains it. */
function runDuration(run: DataView | undefined): number | undefined {
  const flags = run ? run.getUint32(0) & 0xffffff : 0;
  if (!run || !(flags & 0x100)) return undefined;
  return run.getUint32(8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0));
}

function defaultDuration(header: DataView | undefined): number | undefined {
  const flags = header ? header.getUint32(0) & 0xffffff : 0;
  if (!header || !(flags & 8)) return undefined;
  return header.getUint32(8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0));
}

/** Reads a stream in pieces of the requested length. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Returns the next `length` bytes, or `undefined` if the stream ends too early. */
  async read(length: number): Promise<DataView | undefined> {
    const bytes = new Uint8Array(length);
    return (await this.readInto(bytes)) ? new DataView(bytes.buffer) : undefined;
  }

  async readInto(bytes: Uint8Array): Promise<boolean> {
    let filled = 0;
    while (filled < bytes.length) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) return false;
        this.#rest = next.value;
      }
      const part = this.#rest.subarray(0, bytes.length - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return true;
  }
}
