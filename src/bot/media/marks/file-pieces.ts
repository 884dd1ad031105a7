import { type FileHandle, open, rename, rm } from 'node:fs/promises';

/** A part of a rewritten file: new bytes, or a range of the old file. */
export type Piece = Uint8Array | { readonly start: number; readonly end: number };

const COPY_BYTES = 1 << 20;

/** A file breaks the rules of its format. */
export class DamagedFileError extends Error {}

/** Adds a range of the old file, and merges neighbouring ranges, because there may be very many small parts. */
export function addRange(pieces: Piece[], start: number, end: number): void {
  const last = pieces.at(-1);
  if (last && !(last instanceof Uint8Array) && last.end === start) {
    pieces[pieces.length - 1] = { start: last.start, end };
  } else pieces.push({ start, end });
}

/** Reads exactly `length` bytes at `at`. Throws `DamagedFileError` if the file is shorter. */
export async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer> {
  // 64-bit sizes can lead to offsets that a number cannot represent.
  if (!Number.isSafeInteger(at)) throw new DamagedFileError('Cannot read a file: it points beyond its end');
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead < length) throw new DamagedFileError('Cannot read a file: it ends too early');
  return bytes;
}

/**
 * Rewrites the file at `path` from its own pieces and new bytes. The new file replaces the old one only when it is
 * complete. Holds at most 1 MB in memory.
 */
export async function rewriteFile(
  path: string,
  from: FileHandle,
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  const part = `${path}.part`;
  try {
    await using to = await open(part, 'w', 0o600);
    for (const piece of pieces) {
      signal.throwIfAborted();
      if (piece instanceof Uint8Array) await to.writeFile(piece);
      else await copyRange(from, to, piece, signal);
    }
    await to.datasync();
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await rename(part, path);
}

async function copyRange(
  from: FileHandle,
  to: FileHandle,
  range: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): Promise<void> {
  for (let at = range.start; at < range.end;) {
    signal.throwIfAborted();
    const bytes = await readExactly(from, at, Math.min(COPY_BYTES, range.end - at));
    await to.writeFile(bytes);
    at += bytes.length;
  }
}
