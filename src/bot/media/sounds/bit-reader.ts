/** Reads numbers of any width, the highest bit first. Behind the end of the bytes, all bits are 0. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The number of bits that were read or skipped. */
  get at(): number {
    return this.#at;
  }

  /** The number of bits that are left; negative after reading behind the end. */
  get left(): number {
    return this.#bytes.length * 8 - this.#at;
  }

  bit(): number {
    const at = this.#at++;
    return ((this.#bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
  }

  read(width: number): number {
    let value = 0;
    for (let bit = 0; bit < width; bit += 1) value = value * 2 + this.bit();
    return value;
  }

  skip(width: number): void {
    this.#at += width;
  }

  /** Skips the rest of a byte of which a part was read. */
  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
