import type { FileHandle } from 'node:fs/promises';
import { DamagedFileError, type Piece, readExactly } from './file-pieces.ts';
import { SOURCE_TYPES, type SourceType, sourceTypeUri } from './source-type.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const TAGS = '1254c367';
const TAG = '7373';
const TARGETS = '63c0';
const SIMPLE_TAG = '67c8';
const TAG_NAME = '45a3';
const TAG_STRING = '4487';
const NAME = 'DIGITAL_SOURCE_TYPE';

/** Returns the WebM or Matroska clip with the mark as a tag at the end of its only segment. */
export async function webmPieces(file: FileHandle, sizeBytes: number, type: SourceType): Promise<Piece[]> {
  const first = await elementAt(file, 0);
  if (first.id !== EBML || first.size === null) throw damaged();
  const segment = await elementAt(file, first.bodyStart + first.size);
  if (segment.id !== SEGMENT) throw damaged();
  const segmentEnd = segment.size === null ? sizeBytes : segment.bodyStart + segment.size;
  if (segmentEnd > sizeBytes) throw damaged();
  const end = await withoutMark(file, segment.bodyStart, segmentEnd);
  const tags = markTags(type);
  // A segment of unknown size (from a live stream) extends to the end of the file and includes everything that follows.
  const size =
    segment.size === null
      ? { start: segment.sizeStart, end: segment.bodyStart }
      : vint(end - segment.bodyStart + tags.length, segment.bodyStart - segment.sizeStart);
  return [
    { start: 0, end: segment.sizeStart },
    size,
    { start: segment.bodyStart, end },
    tags,
    { start: segmentEnd, end: sizeBytes },
  ];
}

interface Element {
  readonly id: number;
  readonly sizeStart: number;
  readonly bodyStart: number;
  /** The size of the element's body; null if unknown. */
  readonly size: number | null;
}

async function elementAt(file: FileHandle, at: number): Promise<Element> {
  const id = (await readExactly(file, at, 4)).readUInt32BE();
  const sizeStart = at + 4;
  const lead = (await readExactly(file, sizeStart, 1)).readUInt8();
  const width = Math.clz32(lead) - 23;
  if (width > 8) throw damaged();
  const bytes = await readExactly(file, sizeStart, width);
  bytes.writeUInt8(lead & (0xff >> width), 0);
  const value = BigInt(`0x${bytes.toString('hex')}`);
  const isOpen = value === (1n << BigInt(7 * width)) - 1n;
  return { id, sizeStart, bodyStart: sizeStart + width, size: isOpen ? null : Number(value) };
}

/** Returns the offset at which the segment ends, not counting an earlier mark. */
async function withoutMark(file: FileHandle, start: number, end: number): Promise<number> {
  for (const type of SOURCE_TYPES) {
    const tags = markTags(type);
    const from = end - tags.length;
    if (from >= start && (await readExactly(file, from, tags.length)).equals(tags)) return from;
  }
  return end;
}

function markTags(type: SourceType): Buffer {
  const text = (id: string, value: string): Buffer => element(id, Buffer.from(value, 'utf8'));
  const simple = element(
    SIMPLE_TAG,
    Buffer.concat([text(TAG_NAME, NAME), text(TAG_STRING, sourceTypeUri(type))]),
  );
  return element(TAGS, element(TAG, Buffer.concat([element(TARGETS, Buffer.alloc(0)), simple])));
}

function element(id: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'hex'), vint(body.length, 4), body]);
}

/** Encodes a size in `width` bytes. Throws if the size needs more bytes, because the file then cannot be marked. */
function vint(value: number, width: number): Buffer {
  if (BigInt(value) >= (1n << BigInt(7 * width)) - 1n) throw damaged();
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value) | (1n << BigInt(7 * width)));
  return bytes.subarray(8 - width);
}

function damaged(): DamagedFileError {
  return new DamagedFileError('Cannot read a WebM: it is damaged, or its segment cannot grow');
}
