import { endianness } from 'node:os';

const IS_LITTLE = endianness() === 'LE';

/** Joins messages of any length into 16-bit little-endian samples. A sample may be split between two messages. */
export class PcmPieces {
  #rest: number | undefined;

  /** Returns the samples that are complete with `bytes` and were not returned before. The caller owns the array. */
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

/** Returns samples as the bytes of a message, which on a little-endian machine share the memory of `samples`. */
export function toPcm(samples: Int16Array): Uint8Array {
  if (!IS_LITTLE) return Buffer.from(samples.slice().buffer).swap16();
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
