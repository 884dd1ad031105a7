/**
 * Computes the power spectrum of real blocks of `size` samples (a power of two), with a Hann window over the
 * first `windowLength` of them. It reuses its memory: a result is valid until the next call.
 */
export class PowerSpectrum {
  /** The number of bins, from 0 to size / 2. */
  readonly binCount: number;
  readonly #size: number;
  readonly #window: Float32Array;
  readonly #real: Float32Array;
  readonly #imaginary: Float32Array;
  readonly #cosines: Float32Array;
  readonly #sines: Float32Array;
  readonly #power: Float32Array;

  constructor(size: number, windowLength: number) {
    this.#size = size;
    this.binCount = size / 2 + 1;
    this.#window = Float32Array.from({ length: windowLength }, (_, n) => {
      return 0.5 - 0.5 * Math.cos((2 * Math.PI * (n + 0.5)) / windowLength);
    });
    this.#real = new Float32Array(size);
    this.#imaginary = new Float32Array(size);
    this.#cosines = Float32Array.from({ length: size / 2 }, (_, n) => Math.cos((2 * Math.PI * n) / size));
    this.#sines = Float32Array.from({ length: size / 2 }, (_, n) => -Math.sin((2 * Math.PI * n) / size));
    this.#power = new Float32Array(this.binCount);
  }

  /** Returns the spectrum of the block that begins at sample `start`. Samples beyond the end count as silence. */
  of(samples: Float32Array, start: number): Float32Array {
    this.#imaginary.fill(0);
    const bits = Math.log2(this.#size);
    for (let n = 0; n < this.#size; n++) {
      this.#real[reverseBits(n, bits)] = (samples[start + n] ?? 0) * (this.#window[n] ?? 0);
    }
    for (let span = 1; span < this.#size; span *= 2) this.#combine(span);
    for (let bin = 0; bin < this.binCount; bin++) {
      this.#power[bin] = (this.#real[bin] ?? 0) ** 2 + (this.#imaginary[bin] ?? 0) ** 2;
    }
    return this.#power;
  }

  #combine(span: number): void {
    const [real, imaginary] = [this.#real, this.#imaginary];
    const stride = this.#size / (2 * span);
    for (let n = 0; n < span; n++) {
      const cosine = this.#cosines[n * stride] ?? 0;
      const sine = this.#sines[n * stride] ?? 0;
      for (let a = n; a < this.#size; a += 2 * span) {
        const b = a + span;
        const re = (real[b] ?? 0) * cosine - (imaginary[b] ?? 0) * sine;
        const im = (real[b] ?? 0) * sine + (imaginary[b] ?? 0) * cosine;
        real[b] = (real[a] ?? 0) - re;
        imaginary[b] = (imaginary[a] ?? 0) - im;
        real[a] = (real[a] ?? 0) + re;
        imaginary[a] = (imaginary[a] ?? 0) + im;
      }
    }
  }
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let n = 0; n < bits; n++) reversed |= ((value >> n) & 1) << (bits - 1 - n);
  return reversed;
}
