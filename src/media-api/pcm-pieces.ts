import { endianness } from 'node:os';

const IS_LITTLE = endianness() === 'LE';

/** Puts messages of any length together to samples of 16 bits, little-endian: a sample may be cut in two. */
export class PcmPieces {
  #rest: number | undefined;

  /** All whole samples up to now; the array is the caller's. */
  push(bytes: Uint8Array): Int16Array {
    const hasRest = this.#rest !== undefined;
    const total = bytes.length + (hasRest ? 1 : 0);
    const samples = new Int16Array(total >> 1);
    const target = new Uint8Array(samples.buffer);
    const isOdd = total % 2 === 1;
    if (samples.length > 0) {
      if (this.#rest !== undefined) target[0] = this.#rest;
      target.set(isOdd ? bytes.subarray(0, -1) : bytes, hasRest ? 1 : 0);
      this.#rest = isOdd ? bytes.at(-1) : undefined;
    } else if (isOdd) this.#rest = bytes.at(-1) ?? this.#rest;
    if (!IS_LITTLE) Buffer.from(samples.buffer).swap16();
    return samples;
  }
}

/** The bytes of a message with these samples; a view of theirs where the machine allows it. */
export function toPcm(samples: Int16Array): Uint8Array {
  if (!IS_LITTLE) return Buffer.from(samples.slice().buffer).swap16();
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
