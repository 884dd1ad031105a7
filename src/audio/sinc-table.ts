/** The taps of a fractional-delay low-pass filter, one row per phase. */
export interface SincTable {
  /** The number of rows, not counting the last one, which equals the first row shifted by one sample. */
  readonly phases: number;
  /** The row of phase `p` reads the samples `1 - half` to `half` around the position `p / phases`. */
  readonly half: number;
  /** `(phases + 1) * 2 * half` taps; each row sums to 1. */
  readonly taps: Float32Array;
}

interface SincTableOptions {
  readonly phases: number;
  /** The number of samples on each side of a position. */
  readonly half: number;
  /** The frequency at which the filter attenuates by 6 dB, as a share of the sample rate, at most 0.5. */
  readonly cutoff: number;
  /** The shape of the Kaiser window. At 8, aliases are attenuated by about 80 dB. */
  readonly beta: number;
}

/** Computes a table of a Kaiser-windowed sinc, for reading a signal between its samples. */
export function sincTable({ phases, half, cutoff, beta }: SincTableOptions): SincTable {
  const width = 2 * half;
  const taps = new Float32Array((phases + 1) * width);
  const row = new Float64Array(width);
  for (let phase = 0; phase <= phases; phase++) {
    let sum = 0;
    for (let tap = 0; tap < width; tap++) {
      const distance = tap + 1 - half - phase / phases;
      const value = sinc(2 * cutoff * distance) * kaiser(distance / half, beta);
      row[tap] = value;
      sum += value;
    }
    for (let tap = 0; tap < width; tap++) taps[phase * width + tap] = (row[tap] ?? 0) / sum;
  }
  return { phases, half, taps };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** Returns the value of the Kaiser window over -1 to 1. It is 1 in the middle. */
function kaiser(x: number, beta: number): number {
  return Math.abs(x) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta);
}

/** Returns the modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
