import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { damaged } from './media-error.ts';

const WINDOW_BYTES = 128 * 1024;
/**
 * The limit for the number of parts that are read: 100,000 plus one for every 4 bytes of the file, but at most
 * 5,000,000. No honest file of 500 MB has even 2,500,000 parts, and no honest small file has such small parts.
 */
const PARTS_MAX = 5_000_000;
const PARTS_MAX_SMALL = 100_000;
const BYTES_PER_PART_MIN = 4;
/** After reading this many parts, which takes about 2 ms, the program's other work gets a turn. */
const PARTS_AT_ONCE = 4_096;

/** Reads parts of a file through one small window, so memory use does not depend on the size of the file. */
export class MediaSource implements AsyncDisposable {
  readonly sizeBytes: number;
  readonly #file: FileHandle;
  readonly #window: Buffer = Buffer.alloc(WINDOW_BYTES);
  #start = 0;
  #length = 0;
  #parts = 0;
  readonly #partsMax: number;

  private constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file;
    this.sizeBytes = sizeBytes;
    this.#partsMax = Math.min(PARTS_MAX, PARTS_MAX_SMALL + sizeBytes / BYTES_PER_PART_MIN);
  }

  static async open(path: string): Promise<MediaSource> {
    const file = await open(path);
    try {
      return new MediaSource(file, (await file.stat()).size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Returns a copy of exactly `length` bytes, starting at `at`. Throws `MediaError` if the file ends earlier. */
  async bytes(at: number, length: number): Promise<Buffer> {
    const read = await this.upTo(at, length);
    if (read.length < length) throw damaged('it ends too early');
    return read;
  }

  /** Returns a copy of at most `length` bytes, starting at `at`; fewer at the end of the file. */
  async upTo(at: number, length: number): Promise<Buffer> {
    const turn = this.#count(1);
    if (turn) await turn;
    const wanted = Math.max(0, Math.min(length, this.sizeBytes - at));
    if (wanted > WINDOW_BYTES) return this.#readWhole(at, wanted);
    if (at < this.#start || at + wanted > this.#start + this.#length) await this.#fill(at);
    const from = at - this.#start;
    return Buffer.from(this.#window.subarray(from, Math.min(this.#length, from + wanted)));
  }

  /** Counts parts that were examined without being read separately. Throws `MediaError` if there are too many. */
  async spend(parts: number): Promise<void> {
    await this.#count(parts);
  }

  /** Reads a tag of `length` characters. Many formats label their parts with four characters. */
  async tag(at: number, length: number = 4): Promise<string> {
    return (await this.upTo(at, length)).toString('latin1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  #count(parts: number): Promise<void> | undefined {
    const before = this.#parts;
    this.#parts += parts;
    if (this.#parts > this.#partsMax) throw damaged('it has too many parts');
    const isTurn = Math.floor(before / PARTS_AT_ONCE) < Math.floor(this.#parts / PARTS_AT_ONCE);
    return isTurn ? setImmediate() : undefined;
  }

  async #fill(at: number): Promise<void> {
    const { bytesRead } = await this.#file.read(this.#window, 0, WINDOW_BYTES, at);
    this.#start = at;
    this.#length = bytesRead;
  }

  async #readWhole(at: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    for (let got = 0; got < length;) {
      const { bytesRead } = await this.#file.read(buffer, got, length - got, at + got);
      if (bytesRead === 0) return buffer.subarray(0, got);
      got += bytesRead;
    }
    return buffer;
  }
}
