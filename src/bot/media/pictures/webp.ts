import { Pieces } from '../edit.ts';
import { type Examined, pictureOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Orientation, readOrientation, writeOrientation } from './exif.ts';

const HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const EXIF_BYTES_MAX = 1024 * 1024;
const HAS_EXIF = 0x08;
const HAS_XMP = 0x04;
const KEPT: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ICCP']);
/**
 * The number of frames is limited, because for each frame, the decoder walks over all frames before it: 100,000 small
 * frames would take half a minute.
 */
const FRAMES_MAX = 5_000;
const FRAME_HEAD_BYTES = 16;
const PARTS_OF_FRAME_MAX = 100;
const KEPT_OF_FRAME: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ALPH']);

/**
 * Examines a WebP. The clean file keeps its picture or frames, colour profile and orientation; the rest is removed.
 */
export async function examineWebp(source: MediaSource): Promise<Examined> {
  const end = Math.min(source.sizeBytes, (await source.bytes(4, 4)).readUInt32LE() + 8);
  const body = new Pieces();
  let extended: Buffer | undefined;
  let orientation: Orientation = 1;
  let keptBytes = 0;
  let frames = 0;
  for (let at = HEAD_BYTES; at + 8 <= end;) {
    const head = await source.bytes(at, 8);
    const type = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    const next = at + 8 + length + (length % 2);
    if (at + 8 + length > source.sizeBytes) throw damaged('a WebP ends too early');
    if (type === 'VP8X') extended = await source.bytes(at, 18);
    else if (KEPT.has(type)) {
      body.keep(at, Math.min(next, source.sizeBytes));
      keptBytes += Math.min(next, source.sizeBytes) - at;
    } else if (type === 'ANMF') {
      frames += 1;
      if (frames > FRAMES_MAX) throw damaged('a WebP has too many frames');
      keptBytes += await keepFrame(source, body, { at, length });
    } else if (type === 'EXIF') orientation = await orientationOf(source, at + 8, length);
    at = next;
  }
  const tail = extended && orientation !== 1 ? exifChunk(orientation) : Buffer.alloc(0);
  const top = extended ? withFlags(extended, tail.length > 0) : Buffer.alloc(0);
  const riff = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  riff.writeUInt32LE(4 + top.length + keptBytes + tail.length, 4);
  const pieces = [{ bytes: Buffer.concat([riff, top]) }, ...body.all, { bytes: tail }];
  return pictureOf({ how: 'rebuild', pieces });
}

/**
 * Keeps only a frame's picture, and removes the other chunks that the format allows in a frame. Returns the number of
 * bytes that stay.
 */
async function keepFrame(
  source: MediaSource,
  body: Pieces,
  { at, length }: { readonly at: number; readonly length: number },
): Promise<number> {
  const start = at + CHUNK_HEAD_BYTES;
  const end = start + length;
  if (length < FRAME_HEAD_BYTES) throw damaged('a frame of a WebP is cut off');
  const kept = [{ from: start, to: start + FRAME_HEAD_BYTES }];
  let parts = 0;
  for (let part = start + FRAME_HEAD_BYTES; part < end; parts += 1) {
    if (parts === PARTS_OF_FRAME_MAX) throw damaged('a frame of a WebP has too many parts');
    const head = await source.bytes(part, CHUNK_HEAD_BYTES);
    const partBytes = head.readUInt32LE(4);
    const next = part + CHUNK_HEAD_BYTES + partBytes + (partBytes % 2);
    if (next > end) throw damaged('a frame of a WebP is cut off');
    if (KEPT_OF_FRAME.has(head.toString('latin1', 0, 4))) kept.push({ from: part, to: next });
    part = next;
  }
  const keptBytes = kept.reduce((sum, { from, to }) => sum + to - from, 0);
  if (keptBytes === length) body.keep(at, end);
  else {
    const head = Buffer.from('ANMF\0\0\0\0', 'latin1');
    head.writeUInt32LE(keptBytes, 4);
    body.add(head);
    for (const { from, to } of kept) body.keep(from, to);
  }
  return CHUNK_HEAD_BYTES + keptBytes;
}

async function orientationOf(source: MediaSource, at: number, length: number): Promise<Orientation> {
  const body = await source.bytes(at, Math.min(length, EXIF_BYTES_MAX));
  // Some programs put the prefix of a JPEG's EXIF segment before the EXIF data.
  return readOrientation(body.toString('latin1', 0, 6) === 'Exif\0\0' ? body.subarray(6) : body);
}

function withFlags(extended: Buffer, hasExif: boolean): Buffer {
  const copy = Buffer.from(extended);
  copy.writeUInt32LE(10, 4);
  copy[8] = ((copy[8] ?? 0) & ~(HAS_EXIF | HAS_XMP)) | (hasExif ? HAS_EXIF : 0);
  return copy;
}

function exifChunk(orientation: Orientation): Buffer {
  const body = writeOrientation(orientation);
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
