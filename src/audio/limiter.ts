const CEILING = 0.95;
const RELEASE_SECONDS = 0.08;
/** Peaks this much over the ceiling bend softly before the gain has come down. */
const KNEE = 0.8;

/** Keeps a stream within ±0.95: the gain falls fast and smoothly when it grows loud, and comes back slowly. */
export class Limiter {
  readonly #attack: number;
  readonly #release: number;
  #gain = 1;

  constructor(sampleRateHz: number) {
    this.#attack = 1 - Math.exp(-1 / (0.0005 * sampleRateHz));
    this.#release = 1 - Math.exp(-1 / (RELEASE_SECONDS * sampleRateHz));
  }

  /** Limits the first `count` samples, in place. */
  process(samples: Float32Array, count: number = samples.length): void {
    for (let n = 0; n < count; n++) {
      const x = samples[n] ?? 0;
      const wanted = Math.min(1, KNEE / Math.max(Math.abs(x), 1e-9));
      this.#gain += (wanted - this.#gain) * (wanted < this.#gain ? this.#attack : this.#release);
      samples[n] = bend(x * this.#gain);
    }
  }
}

/** A straight line up to the knee, from there a curve that never passes the ceiling. */
function bend(x: number): number {
  const size = Math.abs(x);
  if (size <= KNEE) return x;
  const room = CEILING - KNEE;
  return Math.sign(x) * (KNEE + room * Math.tanh((size - KNEE) / room));
}
