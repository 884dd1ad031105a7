/** The limit at the start of a stream, and after any sign that its sound is not real. */
const FLOOR = 0.25;
/** The highest limit. */
const CEILING = 0.9;
/** No real sound reaches this, not even a recording that is clipped everywhere (measured: 1.31). */
const IMPOSSIBLE = 1.5;
/**
 * The limit rises by at most 1 dB per frame of 20 ms, and not at all within 500 ms of a sign that the sound is not
 * real.
 */
const RISE = 10 ** (1 / 20);
const DOUBT_MS = 500;
const FRAME_MS = 20;
/** After a loss, the stream may be louder than it was recently by at most this factor. */
const AFTER_LOSS = 1.4;
/** The share of the loudness that is kept from one frame of 20 ms to the next: half of it after 1.4 s. */
const FORGET = 0.99;
const RAMP_SECONDS = 0.0025;

/**
 * Limits the loudness of a decoder's output. Bytes that are not Opus, such as packets that are still encrypted, decode
 * to full-scale noise without an error. Therefore the limit rises step by step, and falls at every sign that the sound
 * is not real.
 */
export class SoundGuard {
  readonly #ramp: number;
  readonly #sampleRateHz: number;
  #bound = FLOOR;
  #recent = 0;
  #doubtMs = 0;
  #gain = 1;
  #bounded = 0;

  constructor(sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz;
    this.#ramp = Math.round(RAMP_SECONDS * sampleRateHz);
  }

  /** The number of pieces that were made quieter. */
  get bounded(): number {
    return this.#bounded;
  }

  /** Records a sound that cannot be real. The limit starts again at its lowest value. */
  distrust(): void {
    this.#bound = FLOOR;
    this.#doubtMs = DOUBT_MS;
  }

  /** Records that a piece of sound is missing. The next piece may not be much louder than the recent ones. */
  missed(): void {
    this.#bound = Math.max(FLOOR, Math.min(this.#bound, AFTER_LOSS * this.#recent));
  }

  /** Makes a piece quieter, in place, if it is too loud. */
  process(samples: Float32Array): void {
    const peak = peakOf(samples);
    if (!(peak < IMPOSSIBLE)) this.distrust();
    const frames = (1000 * samples.length) / this.#sampleRateHz / FRAME_MS;
    if (this.#doubtMs > 0) this.#doubtMs -= frames * FRAME_MS;
    else if (peak > this.#bound) this.#bound = Math.min(CEILING, this.#bound * RISE ** frames);
    this.#recent = Math.max(this.#recent * FORGET ** frames, Math.min(peak, this.#bound));
    const gain = peak > this.#bound ? this.#bound / peak : 1;
    if (gain < 1) this.#bounded++;
    if (gain < 1 || this.#gain < 1) this.#apply(samples, gain);
    this.#gain = gain;
  }

  /**
   * Moves gradually from the last piece's gain to this piece's gain. Samples that are too loud in the meantime are
   * clipped.
   */
  #apply(samples: Float32Array, gain: number): void {
    const from = this.#gain;
    for (let n = 0; n < samples.length; n++) {
      const share = Math.min(1, n / this.#ramp);
      const value = (samples[n] ?? 0) * (from + (gain - from) * share);
      samples[n] = Math.max(-this.#bound, Math.min(this.#bound, Number.isNaN(value) ? 0 : value));
    }
  }
}

/** Returns the largest magnitude of a sample, or Infinity if a sample is NaN. */
export function peakOf(samples: Float32Array, count: number = samples.length): number {
  let peak = 0;
  for (let n = 0; n < count; n++) {
    const size = Math.abs(samples[n] ?? 0);
    if (!(size <= peak)) peak = size >= 0 ? size : Infinity;
  }
  return peak;
}
