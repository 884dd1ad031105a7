/** Sums overlapping pieces of an endless stream, which is read from its beginning. */
export class OverlapAdder {
  readonly #sums: Float32Array;
  readonly #reach: number;
  /** The index in `#sums` of sample number `#taken`. */
  #head = 0;
  #taken: number;

  /**
   * `first` is the number of the first sample. A piece may end up to `reach` samples after the last sample that was
   * taken.
   */
  constructor(reach: number, first: number) {
    this.#reach = reach;
    this.#sums = new Float32Array(2 * reach);
    this.#taken = first;
  }

  /** The number of the next sample to be taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Adds the first `count` samples of `piece`, multiplied by `gain`, starting at sample number `position`. */
  add(position: number, piece: Float32Array, count: number, gain: number): void {
    const offset = position - this.#taken;
    const first = Math.max(0, -offset);
    const last = Math.min(count, this.#reach - offset);
    const at = this.#head + offset;
    const sums = this.#sums;
    for (let n = first; n < last; n++) sums[at + n] = (sums[at + n] ?? 0) + gain * (piece[n] ?? 0);
  }

  /** Writes the next samples. Pieces that are added later no longer change these samples. */
  take(into: Float32Array): void {
    const sums = this.#sums;
    for (let n = 0; n < into.length; n++) into[n] = sums[this.#head + n] ?? 0;
    this.#head += into.length;
    this.#taken += into.length;
    if (this.#head + this.#reach + into.length <= sums.length) return;
    sums.copyWithin(0, this.#head, this.#head + this.#reach);
    sums.fill(0, this.#reach);
    this.#head = 0;
  }
}
