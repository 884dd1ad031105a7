import { PowerSpectrum } from './power-spectrum.ts';
import { slidingLevel } from './sliding-level.ts';

/** The sample rate for analysis. */
export const ANALYSIS_SAMPLE_RATE_HZ = 16_000;
/** The number of feature frames per second. */
export const FRAMES_PER_SECOND = 100;
/**
 * The number of values per frame: the bands' levels, then the loudness. Each value is close to 0 in average speech; the
 * unit is 15 dB.
 */
export const FRAME_VALUES = 21;

const BANDS = FRAME_VALUES - 1;
const STEP = ANALYSIS_SAMPLE_RATE_HZ / FRAMES_PER_SECOND;
const WINDOW = 400;
const SIZE = 512;
const LOWEST_HZ = 100;
const HIGHEST_HZ = 7_400;
const UNIT_DB = 15;
const QUIETEST_DB = -65;
/** The power of digital silence, far below the noise of any microphone. */
const FLOOR_POWER = 1e-9;
/**
 * Frames above this level, relative to the level of speech, are used to estimate the recording's frequency response.
 */
const ACTIVE_DB = -25;
/** The estimate starts as if it already contained this number of frames with a typical response. */
const PRIOR_FRAMES = 150;

/**
 * Computes the features of a recording, which is pushed in pieces: its perceived loudness in 20 bands, 100
 * times a second.
 */
export class SoundFeatures {
  readonly #spectrum = new PowerSpectrum(SIZE, WINDOW);
  readonly #bands = bandWeights(SIZE);
  readonly #pending = new Float32Array(WINDOW);
  #filled = WINDOW / 2;
  #values = new Float32Array(FRAME_VALUES * FRAMES_PER_SECOND * 10);
  #frames = 0;
  #samples = 0;

  /** The length of the recording so far. */
  get seconds(): number {
    return this.#samples / ANALYSIS_SAMPLE_RATE_HZ;
  }

  /** Appends any number of mono samples at `ANALYSIS_SAMPLE_RATE_HZ`. */
  push(samples: Float32Array): void {
    this.#samples += samples.length;
    for (let from = 0; from < samples.length;) {
      const count = Math.min(WINDOW - this.#filled, samples.length - from);
      this.#pending.set(samples.subarray(from, from + count), this.#filled);
      this.#filled += count;
      from += count;
      if (this.#filled < WINDOW) return;
      this.#addFrame();
      this.#pending.copyWithin(0, STEP);
      this.#filled = WINDOW - STEP;
    }
  }

  /**
   * Returns the features of the whole recording, normalised for its level and frequency response. Frame n is
   * centred on n / `FRAMES_PER_SECOND` seconds. Ends the recording: nothing can be pushed afterwards.
   */
  finish(): Float32Array {
    const wanted = Math.ceil(this.seconds * FRAMES_PER_SECOND) + 1;
    while (this.#frames < wanted) this.push(new Float32Array(STEP));
    const values = this.#values.subarray(0, this.#frames * FRAME_VALUES);
    subtractLevel(values);
    subtractColour(values);
    return values;
  }

  #addFrame(): void {
    const power = this.#spectrum.of(this.#pending, 0);
    const at = this.#frames * FRAME_VALUES;
    if (at + FRAME_VALUES > this.#values.length) {
      const larger = new Float32Array(2 * this.#values.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    let total = FLOOR_POWER;
    for (const [band, { first, weights }] of this.#bands.entries()) {
      let sum = FLOOR_POWER;
      for (let n = 0; n < weights.length; n++) sum += (power[first + n] ?? 0) * (weights[n] ?? 0);
      total += sum;
      this.#values[at + band] = 10 * Math.log10(sum);
    }
    this.#values[at + BANDS] = 10 * Math.log10(total);
    this.#frames++;
  }
}

function subtractLevel(values: Float32Array): void {
  const loudness = new Float32Array(values.length / FRAME_VALUES);
  for (let n = 0; n < loudness.length; n++) loudness[n] = values[n * FRAME_VALUES + BANDS] ?? 0;
  const level = slidingLevel(loudness, FRAMES_PER_SECOND);
  for (let at = 0; at < values.length; at++) {
    const relative = (values[at] ?? 0) - (level[Math.floor(at / FRAME_VALUES)] ?? 0);
    values[at] = Math.max(QUIETEST_DB, relative);
  }
}

/**
 * Removes the recording's frequency response. A microphone, a room or a telephone changes a whole recording in the same
 * way, so the mean of the recording's speech shows the response.
 */
function subtractColour(values: Float32Array): void {
  const sums = Float64Array.from(TYPICAL_COLOUR_DB, (decibels) => decibels * PRIOR_FRAMES);
  let active = PRIOR_FRAMES;
  for (let at = 0; at < values.length; at += FRAME_VALUES) {
    if (!((values[at + BANDS] ?? 0) > ACTIVE_DB)) continue;
    active++;
    for (let band = 0; band < BANDS; band++) sums[band] = (sums[band] ?? 0) + (values[at + band] ?? 0);
  }
  for (let at = 0; at < values.length; at++) {
    const band = at % FRAME_VALUES;
    const colour = band === BANDS ? 0 : (sums[band] ?? 0) / active;
    values[at] = ((values[at] ?? 0) - colour) / UNIT_DB;
  }
}

/**
 * The level of each band in speech, in dB relative to all bands together, lowest band first: the mean of four synthetic
 * speakers.
 */
const TYPICAL_COLOUR_DB: readonly number[] = [
  -14, -18, -21, -25, -34, -39, -40, -41, -43, -44, -43, -40, -40, -40, -41, -44, -48, -51, -50, -49,
];

/** Returns triangular filters of equal width on the mel scale, which corresponds to human hearing. */
function bandWeights(size: number): readonly { readonly first: number; readonly weights: Float32Array }[] {
  const mel = (hz: number): number => 2_595 * Math.log10(1 + hz / 700);
  const edge = (n: number): number => {
    const at = mel(LOWEST_HZ) + (n / (BANDS + 1)) * (mel(HIGHEST_HZ) - mel(LOWEST_HZ));
    return ((10 ** (at / 2_595) - 1) * 700 * size) / ANALYSIS_SAMPLE_RATE_HZ;
  };
  return Array.from({ length: BANDS }, (_, band) => {
    const [low, middle, high] = [edge(band), edge(band + 1), edge(band + 2)];
    const first = Math.max(0, Math.ceil(low));
    const weights = Float32Array.from({ length: Math.max(1, Math.floor(high) - first + 1) }, (_w, n) => {
      const bin = first + n;
      return Math.max(0, bin <= middle ? (bin - low) / (middle - low) : (high - bin) / (high - middle));
    });
    return { first, weights };
  });
}
