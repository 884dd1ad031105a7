import { toPcm } from './pcm.ts';

const RELEASE_SECONDS = 0.005;

/** Cuts an endless stream into equally long chunks of 16-bit samples. */
export class ChunkCutter {
  readonly #emit: (chunk: Int16Array) => void;
  readonly #open: Float32Array;
  readonly #release: number;
  #filled = 0;
  #last = 0;

  constructor(sampleRateHz: number, chunkFrames: number, emit: (chunk: Int16Array) => void) {
    this.#emit = emit;
    this.#open = new Float32Array(chunkFrames);
    this.#release = Math.ceil(RELEASE_SECONDS * sampleRateHz);
  }

  /** The number of samples in the chunk that is being filled. */
  get waiting(): number {
    return this.#filled;
  }

  /** Takes the first `count` samples and passes on each chunk that is full. */
  push(samples: Float32Array, count: number = samples.length): void {
    for (let n = 0; n < count; n++) {
      this.#last = samples[n] ?? 0;
      this.#put(this.#last);
    }
  }

  /** Continues with `count` samples of silence. A short fade avoids a click where the stream broke off. */
  silence(count: number): void {
    const last = this.#last;
    this.#last = 0;
    for (let n = 0; n < count; n++) this.#put(last * Math.max(0, 1 - (n + 1) / this.#release));
  }

  /** Fills the current chunk with silence if it has been started. Returns the number of samples added. */
  fill(): number {
    const missing = this.#filled > 0 ? this.#open.length - this.#filled : 0;
    if (missing > 0) this.silence(missing);
    return missing;
  }

  #put(sample: number): void {
    this.#open[this.#filled++] = sample;
    if (this.#filled < this.#open.length) return;
    this.#filled = 0;
    const chunk = new Int16Array(this.#open.length);
    toPcm(this.#open, chunk);
    this.#emit(chunk);
  }
}
