import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** A stretch of the file, or new bytes. */
export type Piece = { readonly from: number; readonly to: number } | { readonly bytes: Uint8Array };

/** New bytes, or that many zeros, over what was at `at`. */
export type Patch = { readonly at: number } & ({ readonly bytes: Uint8Array } | { readonly zeros: number });

/** How a file becomes one without metadata. */
export type Edit =
  /** Written anew from its parts. */
  | { readonly how: 'rebuild'; readonly pieces: readonly Piece[] }
  /** Overwritten in place: everything stays where it was. */
  | { readonly how: 'patch'; readonly patches: readonly Patch[] };

const CHUNK_BYTES = 256 * 1024;

/** A list of pieces in which neighbouring stretches become one. */
export class Pieces {
  readonly all: Piece[] = [];

  keep(from: number, to: number): void {
    const last = this.all.at(-1);
    if (last && 'from' in last && last.to === from) this.all[this.all.length - 1] = { from: last.from, to };
    else if (to > from) this.all.push({ from, to });
  }

  add(bytes: Uint8Array): void {
    this.all.push({ bytes });
  }
}

/** Overwrites parts of the file at `path`; all is on the disk when this returns. */
export async function patchFile(path: string, patches: readonly Patch[], signal: AbortSignal): Promise<void> {
  await using file = await open(path, 'r+');
  const zeros = Buffer.alloc(CHUNK_BYTES);
  for (const patch of patches) {
    const length = 'bytes' in patch ? patch.bytes.length : patch.zeros;
    for (let done = 0; done < length;) {
      signal.throwIfAborted();
      const part =
        'bytes' in patch
          ? patch.bytes.subarray(done)
          : zeros.subarray(0, Math.min(CHUNK_BYTES, length - done));
      done += (await file.write(part, 0, part.length, patch.at + done)).bytesWritten;
    }
  }
  await file.sync();
}

/** Writes the pieces of `fromPath` to `toPath`; all is on the disk when this returns. */
export async function rebuildFile(
  paths: { readonly fromPath: string; readonly toPath: string },
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  await using source = await open(paths.fromPath);
  await using target = await open(paths.toPath, 'w', 0o600);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (const piece of pieces) {
    if ('bytes' in piece) await target.writeFile(piece.bytes);
    else await copy(source, target, { ...piece, buffer, signal });
  }
  await target.sync();
}

/** SHA-256 of a file in hexadecimal digits. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256');
  // One buffer for all of it: new ones for each part pile up faster than they are collected.
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

async function copy(
  source: FileHandle,
  target: FileHandle,
  part: { from: number; to: number; buffer: Buffer; signal: AbortSignal },
): Promise<void> {
  const { buffer, signal } = part;
  for (let at = part.from; at < part.to;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, part.to - at), at);
    if (bytesRead === 0) throw new RangeError('Cannot copy a file: it became shorter');
    await target.writeFile(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}
