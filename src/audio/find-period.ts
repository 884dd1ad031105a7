/** Voices have a pitch of 66 to 400 Hz, and therefore a period in this range. */
const PERIOD_SECONDS_MIN = 0.0025;
const PERIOD_SECONDS_MAX = 0.015;
/** The step between the lags that are compared first, in samples. */
const COARSE = 6;

/** The lag at which a sound repeats itself most closely, in samples, and the likeness at that lag, up to 1. */
interface Period {
  readonly lag: number;
  readonly likeness: number;
}

/**
 * Finds the period of a voice. Compares the `window` samples starting at `at` with windows that start up to `most`
 * samples later, or earlier if `side` is -1.
 */
export function findPeriod(
  samples: Float32Array,
  { at, window, most, side, sampleRateHz }: PeriodSearch,
): Period {
  const low = Math.round(PERIOD_SECONDS_MIN * sampleRateHz);
  const high = Math.min(most, Math.round(PERIOD_SECONDS_MAX * sampleRateHz));
  let best: Period = { lag: 0, likeness: -1 };
  const search = (from: number, to: number, step: number): void => {
    for (let lag = from; lag <= to; lag += step) {
      const likeness = likenessAt(samples, at, side * lag, { window, step });
      if (likeness > best.likeness) best = { lag, likeness };
    }
  };
  search(low, high, COARSE);
  if (best.lag > 0) search(Math.max(low, best.lag - COARSE), Math.min(high, best.lag + COARSE), 1);
  return best;
}

interface PeriodSearch {
  readonly at: number;
  readonly window: number;
  readonly most: number;
  readonly side: 1 | -1;
  readonly sampleRateHz: number;
}

/** Returns the sum of the squares of `count` samples. */
export function energyOf(samples: Float32Array, from: number, count: number): number {
  let energy = 0;
  for (let n = from; n < from + count; n++) energy += (samples[n] ?? 0) ** 2;
  return energy;
}

/** Returns the normalised correlation of a window with the window `lag` samples away. */
function likenessAt(
  samples: Float32Array,
  at: number,
  lag: number,
  { window, step }: { readonly window: number; readonly step: number },
): number {
  let product = 0;
  let [here, there] = [1e-9, 1e-9];
  for (let n = at; n < at + window; n += step) {
    const x = samples[n] ?? 0;
    const y = samples[n + lag] ?? 0;
    product += x * y;
    here += x * x;
    there += y * y;
  }
  return product / Math.sqrt(here * there);
}
