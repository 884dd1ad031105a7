import type { FileHandle } from 'node:fs/promises';
import { DamagedFileError, type Piece, readExactly } from './file-pieces.ts';
import type { SourceType } from './source-type.ts';
import { XMP_BYTES_MAX, xmpPacket } from './xmp-packet.ts';

/** The type of the `uuid` box that contains XMP. */
const XMP_UUID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;
const BOXES_MAX = 50_000;

interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly headBytes: number;
  /** Whether the box extends to the end of the file instead of stating a size. */
  readonly isOpenEnded: boolean;
}

/**
 * Returns the MP4 or QuickTime clip with the mark as XMP at its end. Nothing before the mark moves, because players
 * find frames by their file offsets; an earlier XMP box becomes free space.
 */
export async function mp4Pieces(file: FileHandle, sizeBytes: number, type: SourceType): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let earlier: Uint8Array | undefined;
  let last: Box | undefined;
  let at = 0;
  for (let count = 0; at + HEAD_BYTES <= sizeBytes; count++) {
    const box = await boxAt(file, at, sizeBytes);
    if (count > BOXES_MAX) throw damaged();
    const own = box.type === 'uuid' ? await readXmp(file, box) : undefined;
    earlier ??= own;
    if (own) pieces.push(...freed(box));
    else if (box.isOpenEnded) pieces.push(...closed(box));
    else addRange(pieces, box.start, box.end);
    last = box;
    at = box.end;
  }
  if (!last) throw damaged();
  const mark = uuidBox(xmpPacket(type, earlier));
  // The mark comes before an index of fragments, which players look for at the end of the file.
  if (last.type !== 'mfra') return [...pieces, mark];
  const tail = { start: last.start, end: last.end };
  return [...cutAt(pieces, last.start), mark, tail];
}

async function boxAt(file: FileHandle, start: number, sizeBytes: number): Promise<Box> {
  const head = await readExactly(file, start, HEAD_BYTES);
  const short = head.readUInt32BE();
  const type = head.toString('latin1', 4);
  const isOpenEnded = short === 0;
  const isLong = short === 1;
  const size = isLong
    ? Number((await readExactly(file, start + HEAD_BYTES, 8)).readBigUInt64BE())
    : isOpenEnded
      ? sizeBytes - start
      : short;
  const headBytes = isLong ? LONG_HEAD_BYTES : HEAD_BYTES;
  const end = start + size;
  if (size < headBytes || end > sizeBytes) throw damaged();
  return { type, start, end, headBytes, isOpenEnded };
}

async function readXmp(file: FileHandle, box: Box): Promise<Uint8Array | undefined> {
  const from = box.start + box.headBytes;
  if (box.end - from < XMP_UUID.length) return undefined;
  if (!(await readExactly(file, from, XMP_UUID.length)).equals(XMP_UUID)) return undefined;
  const length = box.end - from - XMP_UUID.length;
  return length > XMP_BYTES_MAX ? new Uint8Array() : readExactly(file, from + XMP_UUID.length, length);
}

function freed(box: Box): Piece[] {
  const named = [
    { start: box.start, end: box.start + 4 },
    Buffer.from('free', 'latin1'),
    { start: box.start + 8, end: box.end },
  ];
  return box.isOpenEnded ? [head(box.end - box.start, 'free'), ...named.slice(2)] : named;
}

/** Writes the size of an open-ended last box into its header, so that another box may follow. */
function closed(box: Box): Piece[] {
  return [head(box.end - box.start, box.type), { start: box.start + HEAD_BYTES, end: box.end }];
}

function head(size: number, type: string): Uint8Array {
  if (size > 0xffffffff) throw damaged();
  const bytes = Buffer.alloc(HEAD_BYTES);
  bytes.writeUInt32BE(size);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

function uuidBox(packet: Uint8Array): Uint8Array {
  const size = HEAD_BYTES + XMP_UUID.length + packet.byteLength;
  return Buffer.concat([head(size, 'uuid'), XMP_UUID, packet]);
}

/** Merges neighbouring ranges, because a clip may have very many fragments. */
function addRange(pieces: Piece[], start: number, end: number): void {
  const before = pieces.at(-1);
  if (before && !(before instanceof Uint8Array) && before.end === start) {
    pieces[pieces.length - 1] = { start: before.start, end };
  } else pieces.push({ start, end });
}

function cutAt(pieces: readonly Piece[], end: number): Piece[] {
  return pieces.flatMap((piece) => {
    if (piece instanceof Uint8Array || piece.end <= end) return [piece];
    return piece.start < end ? [{ start: piece.start, end }] : [];
  });
}

function damaged(): DamagedFileError {
  return new DamagedFileError('Cannot read a clip: it is damaged');
}
