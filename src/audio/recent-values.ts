/** Keeps the last values of a series and computes their quantiles. */
export class RecentValues {
  readonly #values: Float64Array;
  #count = 0;

  constructor(size: number) {
    this.#values = new Float64Array(size);
  }

  add(value: number): void {
    this.#values[this.#count++ % this.#values.length] = value;
  }

  /** Returns the value that the given share of the values does not exceed, or 0 before the first value. */
  quantile(share: number): number {
    const sorted = this.#values.slice(0, Math.min(this.#count, this.#values.length)).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  }
}
