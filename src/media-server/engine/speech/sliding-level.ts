const WINDOW_SECONDS = 6;
/** The share of moments that are quieter than the level of speech. */
const SHARE = 0.9;
/**
 * The level is at most this much below the level of the whole recording, so that long pauses do not count as quiet
 * speech.
 */
const BELOW_LOUDEST_DB_MAX = 15;
const QUIETEST_DB = -40;
const LOUDEST_DB = 60;
/** Sound below this level, about -50 dBFS, does not count as speech. */
const SPEECH_DB_MIN = -4;

/**
 * Returns the level of speech around each moment: nine in ten of the moments at most 3 seconds away are quieter. It
 * follows a speaker who steps back from the microphone, but not a pause. All values are in dB.
 */
export function slidingLevel(loudness: Float32Array, rateHz: number): Float32Array {
  const overall = new Histogram();
  for (const value of loudness) overall.add(value, 1);
  const lowest = Math.max(SPEECH_DB_MIN, overall.quantile(SHARE) - BELOW_LOUDEST_DB_MAX);
  const half = Math.round((WINDOW_SECONDS / 2) * rateHz);
  const nearby = new Histogram();
  for (let n = 0; n < Math.min(half, loudness.length); n++) nearby.add(loudness[n] ?? 0, 1);
  const level = new Float32Array(loudness.length);
  for (let n = 0; n < level.length; n++) {
    if (n + half < level.length) nearby.add(loudness[n + half] ?? 0, 1);
    if (n - half > 0) nearby.add(loudness[n - half - 1] ?? 0, -1);
    level[n] = Math.max(lowest, nearby.quantile(SHARE));
  }
  return level;
}

class Histogram {
  readonly #counts = new Int32Array(LOUDEST_DB - QUIETEST_DB + 1);
  #total = 0;

  add(value: number, count: number): void {
    const bin = Math.min(this.#counts.length - 1, Math.max(0, Math.round(value - QUIETEST_DB)));
    this.#counts[bin] = (this.#counts[bin] ?? 0) + count;
    this.#total += count;
  }

  quantile(share: number): number {
    let above = (1 - share) * this.#total;
    for (let bin = this.#counts.length - 1; bin > 0; bin--) {
      above -= this.#counts[bin] ?? 0;
      if (above <= 0) return QUIETEST_DB + bin;
    }
    return QUIETEST_DB;
  }
}
