/** A pseudo-random number generator. The same seed always gives the same numbers. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number that is at least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to 2^32 - 1. */
  nextUint32(): number {
    return Math.floor(this.next() * 2 ** 32);
  }

  /** Returns true with a probability of `percent` per cent. */
  happens(percent: number): boolean {
    return percent > 0 && this.next() * 100 < percent;
  }
}
