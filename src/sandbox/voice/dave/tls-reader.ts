import { MlsError } from './mls-error.ts';

/**
 * Decodes what `tls-bytes.ts` encodes. Every read throws a `malformed` `MlsError` if the bytes do not contain the
 * expected value.
 */
export class TlsReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The number of bytes read so far. */
  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.byteLength - this.#at;
  }

  u8(): number {
    return this.take(1).readUInt8();
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64BE();
  }

  /** Returns the next `count` bytes, as a view. */
  take(count: number): Buffer {
    if (count > this.left)
      throw new MlsError('malformed', `Cannot read ${count} bytes: only ${this.left} are left`);
    const start = this.#at;
    this.#at += count;
    return this.#bytes.subarray(start, this.#at);
  }

  /** Returns the bytes between two positions, as a view. */
  between(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end);
  }

  /** Returns a vector's body. */
  vector(): Buffer {
    return this.take(this.#length());
  }

  /** Reads a vector's body to its end, as items of one type. */
  list<T>(read: (reader: TlsReader) => T, countMax: number): T[] {
    const inner = new TlsReader(this.vector());
    const items: T[] = [];
    while (inner.left > 0) {
      if (items.length === countMax)
        throw new MlsError('malformed', `Cannot read more than ${countMax} items`);
      items.push(read(inner));
    }
    return items;
  }

  /** Throws unless everything was read. */
  end(): void {
    if (this.left > 0) throw new MlsError('malformed', `Cannot read a message: ${this.left} bytes are left`);
  }

  #length(): number {
    const first = this.u8();
    const form = first >> 6;
    if (form === 3) throw new MlsError('malformed', 'Cannot read a length of more than 30 bits');
    let length = first & 0x3f;
    for (let more = 2 ** form - 1; more > 0; more--) length = length * 256 + this.u8();
    const shortestForm = length < 2 ** 6 ? 0 : length < 2 ** 14 ? 1 : 2;
    if (form !== shortestForm)
      throw new MlsError('malformed', 'Cannot read a length that is not encoded in the shortest form');
    return length;
  }
}
