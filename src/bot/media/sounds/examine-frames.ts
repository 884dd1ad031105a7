import { Pieces } from '../edit.ts';
import { type Examined, recordingOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';

/** The properties of a sound frame, read from its header. */
export interface Frame {
  readonly sizeBytes: number;
  readonly durationSeconds: number;
  /** A value that is the same for all frames of a stream. */
  readonly stream: number;
}

/** Reads a frame's header of `HEADER_BYTES`. Returns `undefined` if the bytes are not a header. */
type ReadHeader = (header: Uint8Array) => Frame | undefined;

/** Returns how long a whole frame lasts, in seconds, for formats whose header alone is not enough. */
type MeasureFrame = (frame: Buffer) => number;

const HEADER_BYTES = 8;
const SEARCH_BYTES = 64 * 1024;
const OTHER_BYTES_MAX = 32 * 1024 * 1024;
const ID3_HEAD_BYTES = 10;

/**
 * Examines a stream of frames. The clean file keeps only the frames; tags of all kinds before, between and after them
 * are removed.
 */
export async function examineFrames(
  source: MediaSource,
  readHeader: ReadHeader,
  measure?: MeasureFrame,
): Promise<Examined> {
  const pieces = new Pieces();
  let stream: number | undefined;
  let durationSeconds = 0;
  for (let at = 0; at < source.sizeBytes;) {
    const frame = await frameAt(source, at, readHeader);
    if (frame && (stream === undefined || frame.stream === stream)) {
      stream = frame.stream;
      durationSeconds += measure ? measure(await source.bytes(at, frame.sizeBytes)) : frame.durationSeconds;
      pieces.keep(at, at + frame.sizeBytes);
      at += frame.sizeBytes;
    } else {
      const next = await nextFrame(source, await endOfTag(source, at), { readHeader, stream });
      if (next === undefined) break;
      at = next;
    }
  }
  if (durationSeconds === 0) throw damaged('a recording without sound');
  return recordingOf({ how: 'rebuild', pieces: pieces.all }, durationSeconds);
}

async function frameAt(source: MediaSource, at: number, readHeader: ReadHeader): Promise<Frame | undefined> {
  const frame = readHeader(await source.upTo(at, HEADER_BYTES));
  return frame && at + frame.sizeBytes <= source.sizeBytes ? frame : undefined;
}

/** Returns the end of the ID3v2 tag at `at`, or `at + 1` if there is no tag. */
async function endOfTag(source: MediaSource, at: number): Promise<number> {
  const head = await source.upTo(at, ID3_HEAD_BYTES);
  if (head.length < ID3_HEAD_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return at + 1;
  const length = head.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return at + ID3_HEAD_BYTES + length + (hasFooter ? ID3_HEAD_BYTES : 0);
}

/**
 * Returns the next offset at which two frames follow each other; `undefined` if there is none. A single frame does not
 * count, because it may be there by chance.
 */
async function nextFrame(
  source: MediaSource,
  from: number,
  of: { readonly readHeader: ReadHeader; readonly stream: number | undefined },
): Promise<number | undefined> {
  for (let at = from; at < source.sizeBytes;) {
    if (at - from > OTHER_BYTES_MAX) throw damaged('a recording consists mostly of other data');
    const bytes = await source.upTo(at, SEARCH_BYTES);
    for (let found = bytes.indexOf(0xff); found >= 0; found = bytes.indexOf(0xff, found + 1)) {
      if (await beginsStream(source, at + found, of)) return at + found;
    }
    at += bytes.length;
  }
  return undefined;
}

async function beginsStream(
  source: MediaSource,
  at: number,
  of: { readonly readHeader: ReadHeader; readonly stream: number | undefined },
): Promise<boolean> {
  const frame = await frameAt(source, at, of.readHeader);
  if (!frame || (of.stream !== undefined && frame.stream !== of.stream)) return false;
  const end = at + frame.sizeBytes;
  return end === source.sizeBytes || (await frameAt(source, end, of.readHeader))?.stream === frame.stream;
}
