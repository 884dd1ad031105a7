/** As loud as a stream may begin, and be again after a sign that it is not what its sender said. */
const FLOOR = 0.25;
/** Nothing is ever louder. */
const CEILING = 0.9;
/** No encoder leads to this, not even from a recording that was cut off everywhere (measured: 1.31). */
const IMPOSSIBLE = 1.5;
/** In the time of a frame of 20 ms the bound rises by 1 dB, but not until 25 frames after such a sign. */
const RISE = 10 ** (1 / 20);
const DOUBT_MS = 500;
const FRAME_MS = 20;
/** After a loss the stream may go on this much louder than it lately was. */
const AFTER_LOSS = 1.4;
/** What is remembered of loudness, per frame of 20 ms: a half after 1.4 s. */
const FORGET = 0.99;
const RAMP_SECONDS = 0.0025;

/**
 * Bounds how loud a decoder's output may be. Bytes that are no Opus, such as packets that nobody decrypted, decode
 * without any error to noise at full scale; so loudness is granted bit by bit, and taken back at every sign of a fault.
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

  /** How many pieces had to be made quieter. */
  get bounded(): number {
    return this.#bounded;
  }

  /** Something was decoded that cannot have been meant: loudness has to be earned again. */
  distrust(): void {
    this.#bound = FLOOR;
    this.#doubtMs = DOUBT_MS;
  }

  /** Sound is missing here: what follows may not be much louder than what was before. */
  missed(): void {
    this.#bound = Math.max(FLOOR, Math.min(this.#bound, AFTER_LOSS * this.#recent));
  }

  /** Makes the piece quieter where it is too loud, in place. */
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

  /** From the gain of the last piece to this one's; what is too loud on the way there is cut off. */
  #apply(samples: Float32Array, gain: number): void {
    const from = this.#gain;
    for (let n = 0; n < samples.length; n++) {
      const share = Math.min(1, n / this.#ramp);
      const value = (samples[n] ?? 0) * (from + (gain - from) * share);
      samples[n] = Math.max(-this.#bound, Math.min(this.#bound, Number.isNaN(value) ? 0 : value));
    }
  }
}

/** The largest size of a sample; infinite if one is no number. */
export function peakOf(samples: Float32Array, count: number = samples.length): number {
  let peak = 0;
  for (let n = 0; n < count; n++) {
    const size = Math.abs(samples[n] ?? 0);
    if (!(size <= peak)) peak = size >= 0 ? size : Infinity;
  }
  return peak;
}
