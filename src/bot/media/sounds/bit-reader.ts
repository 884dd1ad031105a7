/** Reads numbers of any bit width, most significant bit first. All bits after the end are read as 0. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The number of bits read or skipped so far. */
  get at(): number {
    return this.#at;
  }

  /** The number of remaining bits; negative after a read beyond the end. */
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

  /** Skips the rest of a partly read byte. */
  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }
}
