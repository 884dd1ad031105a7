import { Pieces } from '../edit.ts';
import { type Examined, pictureOf } from '../examined.ts';
import { damaged } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { type Orientation, readOrientation, writeOrientation } from './exif.ts';

const EXIF = 'Exif\0\0';
const ICC = 'ICC_PROFILE\0';
const ADOBE = 'Adobe';
const JFIF_BYTES = 18;
/** The search for the end of a scan reads few bytes at first, because a picture may have many small scans. */
const SEARCH_BYTES_MIN = 256;
const SEARCH_BYTES_MAX = 64 * 1024;

interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Examines a JPEG. The clean file keeps its picture, colour profile and orientation. EXIF, XMP, IPTC, comments,
 * thumbnails and everything after the picture (a second picture, or the clip of a "motion photo") are removed.
 */
export async function examineJpeg(source: MediaSource): Promise<Examined> {
  const pieces = new Pieces();
  const heads: Segment[] = [];
  let orientation: Orientation = 1;
  for (let at = 2; ;) {
    const segment = await segmentAt(source, at);
    if (segment.marker === 0xd9) {
      if (heads.length > 0) throw damaged('a JPEG without a picture');
      pieces.keep(segment.start, segment.end);
      return pictureOf({ how: 'rebuild', pieces: pieces.all });
    }
    if (isExif(segment, await source.tag(segment.start + 4, EXIF.length))) {
      const length = segment.end - segment.start - 10;
      orientation = readOrientation(await source.bytes(segment.start + 10, length));
    } else if (await isKept(segment, source)) heads.push(segment);
    at = segment.end;
    if (segment.marker !== 0xda) continue;
    // The header ends at the first scan. A progressive JPEG has segments before its later scans; these stay in place.
    if (pieces.all.length === 0) await writeHead(source, pieces, heads, orientation);
    else for (const { start, end } of heads) pieces.keep(start, end);
    heads.length = 0;
    at = await endOfScan(source, segment.end);
    pieces.keep(segment.end, at);
  }
}

async function segmentAt(source: MediaSource, at: number): Promise<Segment> {
  let start = at;
  let head = await source.bytes(start, 2);
  if (head[0] !== 0xff) throw damaged('a JPEG marker is missing');
  // Any number of fill bytes may precede a marker.
  for (; head[1] === 0xff; head = await source.bytes(start, 2)) start += 1;
  const marker = head[1] ?? 0;
  if (marker === 0xd9 || (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01) {
    return { marker, start, end: start + 2 };
  }
  const length = (await source.bytes(start + 2, 2)).readUInt16BE();
  if (length < 2 || marker === 0) throw damaged('a JPEG segment is too short');
  return { marker, start, end: start + 2 + length };
}

function isExif({ marker, start, end }: Segment, name: string): boolean {
  return marker === 0xe1 && name === EXIF && end - start > 10;
}

async function isKept({ marker, start }: Segment, source: MediaSource): Promise<boolean> {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  const name = await source.tag(start + 4, ICC.length);
  if (marker === 0xe0) return name.startsWith('JFIF\0');
  return (marker === 0xe2 && name === ICC) || (marker === 0xee && name.startsWith(ADOBE));
}

async function writeHead(
  source: MediaSource,
  pieces: Pieces,
  segments: readonly Segment[],
  orientation: Orientation,
): Promise<void> {
  pieces.keep(0, 2);
  const jfif = segments.find(({ marker }) => marker === 0xe0);
  if (jfif) pieces.add(await withoutThumbnail(source, jfif));
  if (orientation !== 1) pieces.add(exifSegment(orientation));
  for (const { marker, start, end } of segments) if (marker !== 0xe0) pieces.keep(start, end);
}

async function withoutThumbnail(source: MediaSource, { start, end }: Segment): Promise<Buffer> {
  if (end - start < JFIF_BYTES) throw damaged('a JFIF header is too short');
  const jfif = await source.bytes(start, JFIF_BYTES);
  jfif.writeUInt16BE(JFIF_BYTES - 2, 2);
  jfif.writeUInt16BE(0, JFIF_BYTES - 2);
  return jfif;
}

function exifSegment(orientation: Orientation): Buffer {
  const body = Buffer.concat([Buffer.from(EXIF, 'latin1'), writeOrientation(orientation)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** Returns the offset of the next real marker. Byte stuffing and restart markers do not count. */
async function endOfScan(source: MediaSource, from: number): Promise<number> {
  let searchBytes = SEARCH_BYTES_MIN;
  for (let at = from; at < source.sizeBytes;) {
    const bytes = await source.upTo(at, searchBytes);
    for (let found = bytes.indexOf(0xff); found >= 0; found = bytes.indexOf(0xff, found + 1)) {
      const next = bytes[found + 1];
      if (next === undefined) break;
      if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at + found;
    }
    if (bytes.length < searchBytes) break;
    // The last byte is searched again, because it may be the start of a marker.
    at += bytes.length - 1;
    searchBytes = Math.min(searchBytes * 2, SEARCH_BYTES_MAX);
  }
  throw damaged('a JPEG ends within its picture');
}
