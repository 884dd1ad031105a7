/** A stream of pseudo-random numbers that depends only on the seed (xorshift, 32 bits). */
export class SeededNoise {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** Returns a number that is at least 0 and less than 1. */
  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) / 2 ** 32;
  }
}
