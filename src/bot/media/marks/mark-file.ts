import { type FileHandle, open } from 'node:fs/promises';
import { DamagedFileError, type Piece, rewriteFile } from './file-pieces.ts';
import { gifPieces } from './gif-pieces.ts';
import { jpegPieces } from './jpeg-pieces.ts';
import { mp4Pieces } from './mp4-pieces.ts';
import { pngPieces } from './png-pieces.ts';
import type { SourceType } from './source-type.ts';
import { webmPieces } from './webm-pieces.ts';
import { webpPieces } from './webp-pieces.ts';

type Pieces = (file: FileHandle, sizeBytes: number, type: SourceType) => Promise<Piece[]>;

const FORMATS: ReadonlyMap<string, Pieces> = new Map([
  ['image/jpeg', jpegPieces],
  ['image/png', pngPieces],
  ['image/apng', pngPieces],
  ['image/webp', webpPieces],
  ['image/gif', gifPieces],
  ['video/mp4', mp4Pieces],
  ['video/x-m4v', mp4Pieces],
  ['video/quicktime', mp4Pieces],
  ['video/3gpp', mp4Pieces],
  ['video/webm', webmPieces],
  ['video/matroska', webmPieces],
]);

/**
 * Whether the file was marked, or why not: the bot cannot mark its format, or the file breaks the rules of its format.
 */
export type Marked = 'marked' | 'unknown_format' | 'damaged';

/**
 * Writes into a file's metadata how it was made, without re-encoding the file. Repeating the call replaces the mark.
 * (C2PA would add a signature, but requires a certificate and a library that signs MP4 and WebP.)
 */
export async function markFile(
  path: string,
  options: { readonly mime: string; readonly type: SourceType },
  signal: AbortSignal,
): Promise<Marked> {
  const pieces = FORMATS.get(options.mime);
  if (!pieces) return 'unknown_format';
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    await rewriteFile(path, file, await pieces(file, size, options.type), signal);
    return 'marked';
  } catch (error) {
    if (error instanceof DamagedFileError) return 'damaged';
    throw error;
  }
}
