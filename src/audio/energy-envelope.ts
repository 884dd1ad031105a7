/** The loudness of speech over time. It follows the rhythm of the words. */
export interface EnergyEnvelope {
  readonly stepMs: number;
  /** The root mean square of the samples around each step, 0 to 1. */
  readonly levels: Float32Array;
}

/** How alike two envelopes are, and the delay of the second one. */
interface Alignment {
  /** Pearson's correlation, -1 to 1. */
  readonly likeness: number;
  readonly laterMs: number;
}

/** The full scale of 16-bit samples. */
const FULL_SCALE = 32_768;
/** A level of -46 dB, as a share of full scale. Anything louder is audible. */
const HEARD = 0.005;

/** The time resolution, in milliseconds. */
const STEP_MS = 5;
/** The length of the window around each step, in steps: about one short syllable. */
const WINDOW_STEPS = 12;

/** Returns the loudness of 16-bit mono samples over time. */
export function energyEnvelope(pcm: Int16Array, sampleRateHz: number): EnergyEnvelope {
  const step = Math.round((sampleRateHz * STEP_MS) / 1000);
  const energies = new Float64Array(Math.floor(pcm.length / step));
  for (let index = 0; index < energies.length; index++) {
    let sum = 0;
    for (let n = index * step; n < (index + 1) * step; n++) sum += ((pcm[n] ?? 0) / FULL_SCALE) ** 2;
    energies[index] = sum / step;
  }
  const levels = new Float32Array(energies.length);
  for (let index = 0; index < levels.length; index++) {
    let sum = 0;
    for (let n = 0; n < WINDOW_STEPS; n++) sum += energies[index + n - WINDOW_STEPS / 2] ?? 0;
    levels[index] = Math.sqrt(sum / WINDOW_STEPS);
  }
  return { stepMs: STEP_MS, levels };
}

/**
 * Compares the words in two recordings. Each section of the first is compared with the most similar section of the
 * second that is shifted by `fromMs` to `toMs`, so the pauses may differ. Returns the mean likeness and the median
 * shift of all audible sections.
 */
export function alignEnvelopes(
  first: EnergyEnvelope,
  second: EnergyEnvelope,
  bounds: { readonly partMs: number; readonly fromMs: number; readonly toMs: number },
): Alignment {
  const { stepMs, levels } = first;
  const length = Math.round(bounds.partMs / stepMs);
  const parts: Alignment[] = [];
  for (let at = 0; at + length <= levels.length; at += length) {
    const part = levels.subarray(at, at + length);
    if (Math.max(...part) > HEARD) parts.push(alignPart({ stepMs, levels: part }, at, second, bounds));
  }
  if (parts.length === 0) return { likeness: 0, laterMs: 0 };
  const later = parts.map(({ laterMs }) => laterMs).toSorted((a, b) => a - b);
  return {
    likeness: parts.reduce((sum, { likeness }) => sum + likeness, 0) / parts.length,
    laterMs: later[Math.floor(later.length / 2)] ?? 0,
  };
}

function alignPart(
  { stepMs, levels }: EnergyEnvelope,
  at: number,
  second: EnergyEnvelope,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Alignment {
  let best: Alignment = { likeness: -1, laterMs: 0 };
  for (let lag = Math.round(fromMs / stepMs); lag * stepMs <= toMs; lag++) {
    const likeness = correlation(levels, second.levels, at + lag);
    if (likeness > best.likeness) best = { likeness, laterMs: lag * stepMs };
  }
  return best;
}

/**
 * Returns Pearson's correlation of `a` with the section of `b` that starts at `from`. Outside of `b` there is silence.
 */
function correlation(a: Float32Array, b: Float32Array, from: number): number {
  let [sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0];
  for (let n = 0; n < a.length; n++) {
    const [x, y] = [a[n] ?? 0, b[n + from] ?? 0];
    sumA += x;
    sumB += y;
    sumAA += x * x;
    sumBB += y * y;
    sumAB += x * y;
  }
  const count = a.length;
  const spread = Math.sqrt((count * sumAA - sumA ** 2) * (count * sumBB - sumB ** 2));
  return spread === 0 ? 0 : (count * sumAB - sumA * sumB) / spread;
}
