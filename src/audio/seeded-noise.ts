/** A stream of numbers that look random and are always the same for the same seed (xorshift, 32 bits). */
export class SeededNoise {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** Returns a number from 0 to below 1. */
  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) / 2 ** 32;
  }
}
