import { Resampler } from '../../src/audio/resampler.ts';

/** Computes the FFT of 2^k complex values in place. */
export function fft(re: Float64Array, im: Float64Array): void {
  const size = re.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j] ?? 0, re[i] ?? 0];
      [im[i], im[j]] = [im[j] ?? 0, im[i] ?? 0];
    }
  }
  for (let length = 2; length <= size; length <<= 1) {
    const half = length >> 1;
    for (let k = 0; k < half; k++) {
      const angle = (-2 * Math.PI * k) / length;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let a = k; a < size; a += length) {
        const b = a + half;
        const x = (re[b] ?? 0) * c - (im[b] ?? 0) * s;
        const y = (re[b] ?? 0) * s + (im[b] ?? 0) * c;
        re[b] = (re[a] ?? 0) - x;
        im[b] = (im[a] ?? 0) - y;
        re[a] = (re[a] ?? 0) + x;
        im[a] = (im[a] ?? 0) + y;
      }
    }
  }
}

/**
 * Returns the power of each bin of the Hann-windowed samples that start at `at`, up to half the sample rate.
 */
export function powerSpectrum(samples: Float32Array, at: number, size: number): Float64Array {
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let n = 0; n < size; n++) {
    re[n] = (samples[at + n] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size));
  }
  fft(re, im);
  return Float64Array.from({ length: size / 2 }, (_, k) => (re[k] ?? 0) ** 2 + (im[k] ?? 0) ** 2);
}

/** Returns the long-term spectrum in bands of `widthHz`, in dB relative to the power of the whole sound. */
export function longTermSpectrum(
  samples: Float32Array,
  sampleRateHz: number,
  { widthHz = 250, upToHz = 6000, size = 1024 }: { widthHz?: number; upToHz?: number; size?: number } = {},
): number[] {
  const bands = Array.from({ length: Math.floor(upToHz / widthHz) }, () => 1e-12);
  for (let at = 0; at + size <= samples.length; at += size / 2) {
    const power = powerSpectrum(samples, at, size);
    power.forEach((value, bin) => {
      const band = Math.floor((bin * sampleRateHz) / size / widthHz);
      if (band < bands.length) bands[band] = (bands[band] ?? 0) + value;
    });
  }
  const all = bands.reduce((sum, band) => sum + band, 0);
  return bands.map((band) => 10 * Math.log10(band / all));
}

/** Returns the root mean square of the differences between `a` and `b`, after subtracting the mean difference. */
export function shapeDifference(a: readonly number[], b: readonly number[]): number {
  const differences = a.map((value, n) => value - (b[n] ?? 0));
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return Math.sqrt(differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / differences.length);
}

/**
 * Returns the pitch of every 10 ms in Hz, or 0 for unvoiced sound, according to the YIN method: the period is at the
 * first deep minimum of the difference function. This code is independent of the engine's pitch tracker, which it
 * tests.
 */
export function pitchContour(samples: Float32Array, sampleRateHz: number): number[] {
  if (sampleRateHz > 24_000) return pitchContour(resample(samples, sampleRateHz, 16_000), 16_000);
  const shortest = Math.floor(sampleRateHz / 600);
  const longest = Math.ceil(sampleRateHz / 55);
  const window = Math.round(sampleRateHz * 0.02);
  const contour: number[] = [];
  for (let at = 0; at + window + longest + 1 < samples.length; at += Math.round(sampleRateHz / 100)) {
    contour.push(pitchAt(samples, at, { shortest, longest, window }) * sampleRateHz);
  }
  return contour;
}

interface Search {
  readonly shortest: number;
  readonly longest: number;
  readonly window: number;
}

function pitchAt(samples: Float32Array, at: number, search: Search): number {
  const { shortest, longest, window } = search;
  let energy = 0;
  for (let n = 0; n < window; n++) energy += (samples[at + n] ?? 0) ** 2;
  if (energy / window < 3e-5) return 0;
  const normal = new Float64Array(longest + 2);
  let sum = 0;
  for (let lag = 1; lag <= longest + 1; lag++) {
    let difference = 0;
    for (let n = 0; n < window; n++) {
      difference += ((samples[at + n] ?? 0) - (samples[at + n + lag] ?? 0)) ** 2;
    }
    sum += difference;
    normal[lag] = (difference * lag) / (sum + 1e-12);
  }
  for (let lag = shortest; lag <= longest; lag++) {
    if ((normal[lag] ?? 1) > 0.15) continue;
    while (lag < longest && (normal[lag + 1] ?? 1) < (normal[lag] ?? 1)) lag++;
    const [before, here, after] = [normal[lag - 1] ?? 1, normal[lag] ?? 1, normal[lag + 1] ?? 1];
    const curve = before - 2 * here + after;
    return 1 / (lag + (curve > 0 ? (0.5 * (before - after)) / curve : 0));
  }
  return 0;
}

/** Returns the median of the values above zero. */
export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Returns how much stronger the periodic part of voiced sound is than the rest, in dB: the median over all 10 ms steps.
 */
export function harmonicity(samples: Float32Array, sampleRateHz: number): number {
  const contour = pitchContour(samples, sampleRateHz);
  const ratios = contour.flatMap((pitch, step) => {
    if (pitch === 0) return [];
    const likeness = periodLikeness(samples, Math.round((step * sampleRateHz) / 100), sampleRateHz, pitch);
    return [10 * Math.log10(Math.max(1e-3, likeness) / Math.max(1e-4, 1 - likeness)) + 100];
  });
  return median(ratios) - 100;
}

function periodLikeness(samples: Float32Array, at: number, sampleRateHz: number, pitch: number): number {
  const lag = sampleRateHz / pitch;
  const whole = Math.floor(lag);
  const part = lag - whole;
  let product = 0;
  let [a, b] = [1e-12, 1e-12];
  for (let n = at, end = at + Math.round(sampleRateHz * 0.02); n < end; n++) {
    const x = samples[n] ?? 0;
    const y = (1 - part) * (samples[n + whole] ?? 0) + part * (samples[n + whole + 1] ?? 0);
    product += x * y;
    a += x * x;
    b += y * y;
  }
  return product / Math.sqrt(a * b);
}

/** Returns the whole sound, converted to another sample rate. */
export function resample(input: Float32Array, inputHz: number, outputHz: number): Float32Array {
  const resampler = new Resampler(inputHz, outputHz);
  const output = new Float32Array(resampler.outputFramesMax(input.length));
  return output.subarray(0, resampler.process(input, output));
}
