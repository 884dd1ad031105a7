import type { FileHandle } from 'node:fs/promises';
import { DamagedFileError, type Piece, readExactly } from './file-pieces.ts';
import type { SourceType } from './source-type.ts';
import { xmpPacket } from './xmp-packet.ts';

const SCREEN_BYTES = 13;
const EXTENSION = Buffer.from([0x21, 0xff, 11]);
const APPLICATION = Buffer.concat([EXTENSION, Buffer.from('XMP DataXMP', 'latin1')]);
/**
 * A reader that does not support XMP treats bytes of the XMP text as block lengths. Whichever byte of this trailer such
 * a reader reaches, it then finds the end of the extension.
 */
const TRAILER = Buffer.from([1, ...Array.from({ length: 256 }, (_, at) => 255 - at), 0]);
const EXTENSIONS_MAX = 1_000;
/**
 * The maximum number of blocks in all extensions before the first picture. XMP of 1 MB takes about half this number.
 */
const BLOCKS_MAX = 20_000;

/**
 * Returns the GIF with the mark as XMP after its colour table. An earlier mark before the first picture is removed.
 */
export async function gifPieces(file: FileHandle, sizeBytes: number, type: SourceType): Promise<Piece[]> {
  const screen = await readExactly(file, 0, SCREEN_BYTES);
  if (!/^GIF8[79]a$/.test(screen.toString('latin1', 0, 6))) throw damaged();
  const fields = screen.readUInt8(10);
  const colours = fields & 0x80 ? 3 * 2 ** ((fields & 7) + 1) : 0;
  const kept: Piece[] = [];
  let at = SCREEN_BYTES + colours;
  const start = at;
  let blocksLeft = BLOCKS_MAX;
  for (let count = 0; (await readExactly(file, at, 1)).readUInt8() === EXTENSION[0]; count++) {
    if (count > EXTENSIONS_MAX) throw damaged();
    const { end, blocks } = await extensionEnd(file, at, blocksLeft);
    blocksLeft -= blocks;
    if (!(await isMark(file, at, sizeBytes))) kept.push({ start: at, end });
    at = end;
  }
  // Only version 89a supports extensions.
  const version = Buffer.from(screen);
  version.write('89a', 3, 'latin1');
  const mark = Buffer.concat([APPLICATION, xmpPacket(type), TRAILER]);
  return [version, { start: SCREEN_BYTES, end: start }, mark, ...kept, { start: at, end: sizeBytes }];
}

/**
 * Returns the offset after the blocks of an extension. Each block starts with its length, and an empty block is the
 * last.
 */
async function extensionEnd(
  file: FileHandle,
  at: number,
  blocksMax: number,
): Promise<{ readonly end: number; readonly blocks: number }> {
  let end = at + 2;
  for (let blocks = 1; blocks <= blocksMax; blocks += 1) {
    const length = (await readExactly(file, end, 1)).readUInt8();
    end += 1 + length;
    if (length === 0) return { end, blocks };
  }
  throw damaged();
}

async function isMark(file: FileHandle, at: number, sizeBytes: number): Promise<boolean> {
  if (at + APPLICATION.length > sizeBytes) return false;
  return (await readExactly(file, at, APPLICATION.length)).equals(APPLICATION);
}

function damaged(): DamagedFileError {
  return new DamagedFileError('Cannot read a GIF: it is damaged');
}
