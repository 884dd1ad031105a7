const CEILING = 0.95;
const RELEASE_SECONDS = 0.08;
/** The level that the gain aims at. Higher peaks are rounded off until the gain has come down. */
const KNEE = 0.8;

/** Keeps a stream within ±0.95. The gain falls fast and smoothly when the stream becomes loud, and recovers slowly. */
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
    // A field that changes for each sample would allocate a number each time. A local variable does not.
    let gain = this.#gain;
    for (let n = 0; n < count; n++) {
      const x = samples[n] ?? 0;
      const wanted = Math.min(1, KNEE / Math.max(Math.abs(x), 1e-9));
      gain += (wanted - gain) * (wanted < gain ? this.#attack : this.#release);
      samples[n] = bend(x * gain);
    }
    this.#gain = gain;
  }
}

/** Returns `x` unchanged up to the knee. Above it, the result follows a curve that never exceeds the ceiling. */
function bend(x: number): number {
  const size = Math.abs(x);
  if (size <= KNEE) return x;
  const room = CEILING - KNEE;
  return Math.sign(x) * (KNEE + room * Math.tanh((size - KNEE) / room));
}
