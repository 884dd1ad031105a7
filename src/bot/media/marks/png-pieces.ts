import type { FileHandle } from 'node:fs/promises';
import { crc32, inflateSync } from 'node:zlib';
import { DamagedFileError, type Piece, addRange, readExactly } from './file-pieces.ts';
import type { SourceType } from './source-type.ts';
import { XMP_BYTES_MAX, xmpPacket } from './xmp-packet.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const KEYWORD = Buffer.from('XML:com.adobe.xmp\0', 'latin1');
/**
 * The fields before the text. They state that the text is uncompressed and has neither a language nor a translated
 * keyword.
 */
const PLAIN = Buffer.alloc(4);
/** The text chunk types. Some libraries write XMP into a chunk of the wrong type, or compress it. */
const TEXTS: ReadonlySet<string> = new Set(['iTXt', 'zTXt', 'tEXt']);
const CHUNK_BYTES = 12;
const CHUNKS_MAX = 20_000;

/** Returns the PNG with the mark in its XMP text chunk; an earlier XMP chunk is replaced. */
export async function pngPieces(file: FileHandle, sizeBytes: number, type: SourceType): Promise<Piece[]> {
  if (!(await readExactly(file, 0, 8)).equals(SIGNATURE)) throw damaged();
  const rest: Piece[] = [];
  let earlier: Uint8Array | undefined;
  let at = 8;
  let headerEnd = 0;
  for (let count = 0; at < sizeBytes && count < CHUNKS_MAX; count++) {
    const head = await readExactly(file, at, 8);
    const name = head.toString('latin1', 4);
    const end = at + CHUNK_BYTES + head.readUInt32BE();
    if (end > sizeBytes || (headerEnd === 0 && name !== 'IHDR')) throw damaged();
    const own = TEXTS.has(name) ? await readXmp(file, name, at + 8, end - 4) : undefined;
    earlier ??= own;
    if (headerEnd === 0) headerEnd = end;
    else if (!own) addRange(rest, at, end);
    at = end;
  }
  if (headerEnd === 0 || at < sizeBytes) throw damaged();
  return [{ start: 0, end: headerEnd }, textChunk(xmpPacket(type, earlier)), ...rest];
}

/**
 * Returns the XMP packet in a text chunk: empty if the packet cannot be read, `undefined` if the chunk contains other
 * text.
 */
async function readXmp(
  file: FileHandle,
  name: string,
  start: number,
  end: number,
): Promise<Uint8Array | undefined> {
  const length = Math.min(end - start, KEYWORD.length + PLAIN.length + XMP_BYTES_MAX);
  const keyword = await readExactly(file, start, Math.min(length, KEYWORD.length));
  if (!keyword.equals(KEYWORD)) return undefined;
  const text = await readExactly(file, start + KEYWORD.length, length - KEYWORD.length);
  if (name === 'tEXt') return text;
  if (name === 'zTXt') return inflated(text.subarray(1));
  if (text.subarray(0, PLAIN.length).equals(PLAIN)) return text.subarray(PLAIN.length);
  const translated = text.indexOf(0, text.indexOf(0, 2) + 1);
  return text[0] === 1 && translated > 0 ? inflated(text.subarray(translated + 1)) : new Uint8Array();
}

function inflated(bytes: Uint8Array): Uint8Array {
  try {
    return inflateSync(bytes, { maxOutputLength: XMP_BYTES_MAX });
  } catch {
    return new Uint8Array();
  }
}

function textChunk(packet: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from('iTXt', 'latin1'), KEYWORD, PLAIN, packet]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(body.length - 4);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function damaged(): DamagedFileError {
  return new DamagedFileError('Cannot read a PNG: it is damaged');
}
