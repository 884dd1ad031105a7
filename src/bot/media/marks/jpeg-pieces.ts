import type { FileHandle } from 'node:fs/promises';
import { DamagedFileError, type Piece, readExactly } from './file-pieces.ts';
import type { SourceType } from './source-type.ts';
import { xmpPacket } from './xmp-packet.ts';

const HEADER = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const APP1 = 0xe1;
const START_OF_SCAN = 0xda;
/** The length of a segment is stored in 16 bits and includes its own two bytes. */
const SEGMENT_BYTES_MAX = 0xffff;
const SEGMENTS_MAX = 2_000;

/** Returns the JPEG with the mark in its XMP segment; an earlier XMP segment is replaced. */
export async function jpegPieces(file: FileHandle, sizeBytes: number, type: SourceType): Promise<Piece[]> {
  if ((await readExactly(file, 0, 2)).readUInt16BE() !== 0xffd8) throw damaged();
  const before: Piece[] = [];
  const after: Piece[] = [];
  let earlier: Uint8Array | undefined;
  let at = 2;
  for (let count = 0; ; count++) {
    const head = await readExactly(file, at, 4);
    const marker = head.readUInt8(1);
    if (head.readUInt8(0) !== 0xff || count > SEGMENTS_MAX) throw damaged();
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) break;
    const length = head.readUInt16BE(2);
    const end = at + 2 + length;
    if (length < 2 || end > sizeBytes) throw damaged();
    const own = marker === APP1 ? await readXmp(file, at, end) : undefined;
    earlier ??= own;
    // The JFIF and Exif segments must come first.
    const isFirst = after.length === 0 && marker >= 0xe0 && marker <= APP1;
    if (!own) (isFirst ? before : after).push({ start: at, end });
    at = end;
  }
  const scan = { start: at, end: sizeBytes };
  return [{ start: 0, end: 2 }, ...before, segment(type, earlier), ...after, scan];
}

async function readXmp(file: FileHandle, start: number, end: number): Promise<Uint8Array | undefined> {
  const body = await readExactly(file, start + 4, end - start - 4);
  return body.subarray(0, HEADER.length).equals(HEADER) ? body.subarray(HEADER.length) : undefined;
}

function segment(type: SourceType, earlier: Uint8Array | undefined): Uint8Array {
  const room = SEGMENT_BYTES_MAX - 2 - HEADER.length;
  const merged = xmpPacket(type, earlier);
  const packet = merged.byteLength <= room ? merged : xmpPacket(type);
  const head = Buffer.from([0xff, APP1, 0, 0]);
  head.writeUInt16BE(2 + HEADER.length + packet.byteLength, 2);
  return Buffer.concat([head, HEADER, packet]);
}

function damaged(): DamagedFileError {
  return new DamagedFileError('Cannot read a JPEG: it is damaged');
}
