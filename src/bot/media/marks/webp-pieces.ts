import type { FileHandle } from 'node:fs/promises';
import { DamagedFileError, type Piece, addRange, readExactly } from './file-pieces.ts';
import type { SourceType } from './source-type.ts';
import { XMP_BYTES_MAX, xmpPacket } from './xmp-packet.ts';

const RIFF_BYTES = 12;
const CHUNK_BYTES = 8;
/** Four times the number of frames that an accepted animation may have. */
const CHUNKS_MAX = 20_000;
const EXTENDED_BYTES = 10;
const HAS_XMP = 0x04;
const HAS_ALPHA = 0x10;

/** Returns the WebP with the mark in its XMP chunk; an earlier XMP chunk is replaced. */
export async function webpPieces(file: FileHandle, sizeBytes: number, type: SourceType): Promise<Piece[]> {
  const riff = await readExactly(file, 0, RIFF_BYTES);
  if (riff.toString('latin1', 0, 4) !== 'RIFF' || riff.toString('latin1', 8) !== 'WEBP') throw damaged();
  const kept: Piece[] = [];
  let header: Buffer | undefined;
  let earlier: Uint8Array | undefined;
  let at = RIFF_BYTES;
  const filesEnd = Math.min(sizeBytes, riff.readUInt32LE(4) + 8);
  for (let count = 0; at + CHUNK_BYTES <= filesEnd; count++) {
    const head = await readExactly(file, at, CHUNK_BYTES);
    const name = head.toString('latin1', 0, 4);
    const length = head.readUInt32LE(4);
    const end = at + CHUNK_BYTES + length + (length % 2);
    if (end > sizeBytes || count > CHUNKS_MAX) throw damaged();
    header ??= await extendedHeader(file, at, name, length);
    if (name === 'XMP ') {
      if (length <= XMP_BYTES_MAX) earlier ??= await readExactly(file, at + CHUNK_BYTES, length);
    } else if (name !== 'VP8X') addRange(kept, at, end);
    at = end;
  }
  if (!header) throw damaged();
  const xmp = chunk('XMP ', xmpPacket(type, earlier));
  const pieces = [header, ...kept, xmp];
  const total = pieces.reduce((sum, piece) => sum + sizeOf(piece), 4);
  const start = Buffer.from(riff);
  start.writeUInt32LE(total, 4);
  return [start, ...pieces];
}

/**
 * Returns the extended header with the XMP flag: the file's own extended header, or a new one with the picture's size.
 */
async function extendedHeader(
  file: FileHandle,
  at: number,
  name: string,
  length: number,
): Promise<Buffer | undefined> {
  if (name === 'VP8X') {
    if (length !== EXTENDED_BYTES) throw damaged();
    const own = await readExactly(file, at, CHUNK_BYTES + length);
    own.writeUInt8(own.readUInt8(CHUNK_BYTES) | HAS_XMP, CHUNK_BYTES);
    return own;
  }
  if (name !== 'VP8 ' && name !== 'VP8L') return undefined;
  const start = await readExactly(file, at + CHUNK_BYTES, 10);
  const { width, height, alpha } = name === 'VP8 ' ? lossySize(start) : losslessSize(start);
  if (width === 0 || height === 0) throw damaged();
  const body = Buffer.alloc(EXTENDED_BYTES);
  body.writeUInt8(HAS_XMP | (alpha ? HAS_ALPHA : 0));
  body.writeUIntLE(width - 1, 4, 3);
  body.writeUIntLE(height - 1, 7, 3);
  return chunk('VP8X', body);
}

interface PictureHead {
  readonly width: number;
  readonly height: number;
  readonly alpha: boolean;
}

function lossySize(start: Buffer): PictureHead {
  if (start.readUIntBE(3, 3) !== 0x9d012a) throw damaged();
  return { width: start.readUInt16LE(6) & 0x3fff, height: start.readUInt16LE(8) & 0x3fff, alpha: false };
}

function losslessSize(start: Buffer): PictureHead {
  if (start.readUInt8() !== 0x2f) throw damaged();
  const bits = start.readUInt32LE(1);
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    alpha: ((bits >>> 28) & 1) === 1,
  };
}

function chunk(name: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(CHUNK_BYTES);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.byteLength, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.byteLength % 2)]);
}

function sizeOf(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.byteLength : piece.end - piece.start;
}

function damaged(): DamagedFileError {
  return new DamagedFileError('Cannot read a WebP: it is damaged');
}
