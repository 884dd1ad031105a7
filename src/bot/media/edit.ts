import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { damaged } from './media-error.ts';

/** A range of the original file, or new bytes. */
type Piece = { readonly from: number; readonly to: number } | { readonly bytes: Uint8Array };

/** New bytes, or a number of zero bytes, that overwrite the file, starting at `at`. */
export type Patch = { readonly at: number } & ({ readonly bytes: Uint8Array } | { readonly zeros: number });

/** How to remove the metadata from a file. */
export type Edit =
  /** A new file is assembled from pieces of the original and new bytes. */
  | { readonly how: 'rebuild'; readonly pieces: readonly Piece[] }
  /** The file is overwritten in place; all offsets stay the same. */
  | { readonly how: 'patch'; readonly patches: readonly Patch[] };

const CHUNK_BYTES = 256 * 1024;
/**
 * The maximum number of patches. Honest files need a few hundred, or a few thousand if a track of subtitles or GPS
 * positions is removed.
 */
const PLACES_MAX = 50_000;
/** The maximum number of pieces. Recordings need many, because they are cut at the tags between their frames. */
const PIECES_MAX = 10_000;

/** A list of pieces that merges neighbouring ranges. Throws `MediaError` if there are too many. */
export class Pieces {
  readonly all: Piece[] = [];

  keep(from: number, to: number): void {
    const last = this.all.at(-1);
    if (last && 'from' in last && last.to === from) this.all[this.all.length - 1] = { from: last.from, to };
    else if (to > from) appendTo(this.all, { from, to }, PIECES_MAX);
  }

  add(bytes: Uint8Array): void {
    appendTo(this.all, { bytes }, PIECES_MAX);
  }
}

/** A list of patches that merges neighbouring zeros. Throws `MediaError` if there are too many. */
export class Patches {
  readonly all: Patch[] = [];

  write(at: number, bytes: Uint8Array): void {
    if (bytes.length > 0) appendTo(this.all, { at, bytes });
  }

  zero(at: number, length: number): void {
    const last = this.all.at(-1);
    if (last && 'zeros' in last && last.at + last.zeros === at) {
      this.all[this.all.length - 1] = { at: last.at, zeros: last.zeros + length };
    } else if (length > 0) appendTo(this.all, { at, zeros: length });
  }
}

/**
 * Ranges of a container that become empty space. Adjacent ranges within the same parent are merged, which limits memory
 * use.
 */
export class EmptySpace {
  readonly #found: { from: number; to: number; readonly parent: number }[] = [];

  /** Adds the range from `from` to `to`. `parent` is the offset at which the parent's body starts. */
  add(from: number, to: number, parent: number): void {
    const last = this.#found.at(-1);
    if (last && last.to === from && last.parent === parent) last.to = to;
    else appendTo(this.#found, { from, to, parent });
  }

  /** Overwrites each range with the format's header for empty space of that length, followed by zeros. */
  patch(patches: Patches, headFor: (length: number) => Uint8Array): void {
    // A range that was added later may lie between two earlier ranges.
    const inOrder = new EmptySpace();
    for (const { from, to, parent } of this.#found.toSorted((a, b) => a.from - b.from)) {
      inOrder.add(from, to, parent);
    }
    for (const { from, to } of inOrder.#found) {
      const head = headFor(to - from);
      patches.write(from, head);
      patches.zero(from + head.length, to - from - head.length);
    }
  }
}

function appendTo<T>(places: T[], place: T, max: number = PLACES_MAX): void {
  if (places.push(place) > max) throw damaged('it needs too many changes');
}

/** Overwrites parts of the file at `path`. Everything is on disk when the promise resolves. */
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

/** Writes the pieces of `fromPath` to `toPath`. Everything is on disk when the promise resolves. */
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

/** Returns the SHA-256 of a file in hexadecimal digits. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256');
  // One buffer serves the whole file, because new buffers would pile up faster than the garbage collector frees them.
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
