/** Playback starts when this many samples are buffered: 60 ms. */
const START_SAMPLES = 2_880;
/** The maximum number of samples that are buffered: 400 ms. */
const SAMPLES_MAX = 19_200;
/** The number of buffered samples that are kept after an overflow: 120 ms. */
const AFTER_DROP_SAMPLES = 5_760;
/** After a wait of this length (100 ms), playback starts even with fewer samples than `START_SAMPLES`. */
const PATIENCE_SAMPLES = 4_800;

/**
 * Buffers one speaker's sound until it is played. If the buffer is too full, the oldest sound is dropped, to limit the
 * delay.
 */
export class SpeechBuffer {
  readonly #samples = new Float32Array(SAMPLES_MAX);
  #start = 0;
  #length = 0;
  #isPlaying = false;
  #waited = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds samples at 48 kHz. */
  push(samples: Float32Array): void {
    const newest = samples.subarray(Math.max(0, samples.length - AFTER_DROP_SAMPLES));
    if (this.#length + newest.length > SAMPLES_MAX) this.#skip(this.#length - AFTER_DROP_SAMPLES);
    const at = (this.#start + this.#length) % SAMPLES_MAX;
    const first = newest.subarray(0, SAMPLES_MAX - at);
    this.#samples.set(first, at);
    this.#samples.set(newest.subarray(first.length), 0);
    this.#length += newest.length;
  }

  /** Adds the sound that is due now to `out`. */
  pull(out: Float32Array): void {
    if (!this.#mayPlay(out.length)) return;
    const count = Math.min(out.length, this.#length);
    for (let index = 0; index < count; index += 1) {
      const sample = this.#samples[(this.#start + index) % SAMPLES_MAX] ?? 0;
      out[index] = (out[index] ?? 0) + sample;
    }
    this.#skip(count);
    this.#isPlaying = this.#length > 0;
  }

  #mayPlay(wanted: number): boolean {
    if (this.#length === 0) return false;
    if (!this.#isPlaying) this.#waited += wanted;
    if (this.#length >= START_SAMPLES || this.#waited >= PATIENCE_SAMPLES) this.#isPlaying = true;
    if (this.#isPlaying) this.#waited = 0;
    return this.#isPlaying;
  }

  #skip(count: number): void {
    this.#start = (this.#start + count) % SAMPLES_MAX;
    this.#length -= count;
  }
}
