/**
 * Keeps the last samples of an endless mono stream in one array, addressed by their number in the stream. All samples
 * before the start of the stream are silence.
 */
export class SampleHistory {
  /** Sample number `n` is at `samples[n - start]`. */
  readonly samples: Float32Array;
  readonly #keep: number;
  #start: number;
  #end = 0;

  /** Keeps at least the last `keep` samples. */
  constructor(keep: number) {
    this.#keep = keep;
    this.samples = new Float32Array(4 * keep);
    this.#start = -keep;
  }

  /** The number of the first sample in memory. */
  get start(): number {
    return this.#start;
  }

  /** The number of samples in the stream so far. */
  get end(): number {
    return this.#end;
  }

  /** Appends the first `count` samples. `count` must not exceed `keep`. */
  push(from: Float32Array, count: number = from.length): void {
    if (count > this.#keep) throw new RangeError(`Cannot append ${count} samples at once`);
    if (this.#end - this.#start + count > this.samples.length) {
      const past = this.#end - this.#keep - this.#start;
      this.samples.copyWithin(0, past, this.#end - this.#start);
      this.#start += past;
    }
    const at = this.#end - this.#start;
    for (let n = 0; n < count; n++) this.samples[at + n] = from[n] ?? 0;
    this.#end += count;
  }
}
