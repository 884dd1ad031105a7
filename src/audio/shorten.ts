import type { SampleQueue } from './sample-queue.ts';

/** Periods of voices from 66 to 400 Hz: what is left out is one or more of them. */
const PERIOD_SECONDS_MIN = 0.0025;
const PERIOD_SECONDS_MAX = 0.015;
const COMPARED_SECONDS = 0.01;
/** Lags are first compared coarsely. */
const COARSE = 6;
/** From this likeness of neighbouring stretches on one of them is not missed. */
const ALIKE = 0.75;
const FADE_SECONDS = 0.005;
const STEP_SECONDS = 0.005;

/**
 * Leaves out one period at the beginning of a voice, up to `mostFrames`, where it is like the next one (as jitter
 * buffers of telephony do): speech is faster for a moment, at the same pitch. Returns how much was left out, or 0.
 */
export function leaveOutPeriod(queue: SampleQueue, sampleRateHz: number, mostFrames: number): number {
  const { waiting } = queue;
  const window = Math.round(COMPARED_SECONDS * sampleRateHz);
  const low = Math.round(PERIOD_SECONDS_MIN * sampleRateHz);
  const high = Math.min(
    mostFrames,
    Math.round(PERIOD_SECONDS_MAX * sampleRateHz),
    waiting.length - 2 * window,
  );
  if (high < low) return 0;
  let best = { lag: 0, likeness: -1 };
  for (let lag = low; lag <= high; lag += COARSE) {
    const likeness = likenessAt(waiting, lag, window, COARSE);
    if (likeness > best.likeness) best = { lag, likeness };
  }
  const [first, last] = [Math.max(low, best.lag - COARSE), Math.min(high, best.lag + COARSE)];
  for (let lag = first; lag <= last; lag++) {
    const likeness = likenessAt(waiting, lag, window, 1);
    if (likeness > best.likeness) best = { lag, likeness };
  }
  if (best.likeness < ALIKE) return 0;
  queue.cut(0, best.lag, window);
  return best.lag;
}

/**
 * Leaves out `frames` within the first `reach` samples where that is heard least: where it is quietest before and
 * after. Returns the place.
 */
export function leaveOutQuietest(
  queue: SampleQueue,
  sampleRateHz: number,
  { frames, reach }: { readonly frames: number; readonly reach: number },
): number {
  const waiting = queue.waiting.subarray(0, reach);
  const fade = Math.round(FADE_SECONDS * sampleRateHz);
  const step = Math.round(STEP_SECONDS * sampleRateHz);
  let [at, least] = [0, Infinity];
  for (let from = 0; from + frames + fade <= waiting.length; from += step) {
    const energy = energyOf(waiting, from, fade) + energyOf(waiting, from + frames, fade);
    if (energy < least) [at, least] = [from, energy];
  }
  if (least === Infinity) queue.drop(Math.min(frames, queue.length));
  else queue.cut(at, frames, fade);
  return at;
}

/** The sum of the squares of `count` samples. */
export function energyOf(samples: Float32Array, from: number, count: number): number {
  let energy = 0;
  for (let n = from; n < from + count; n++) energy += (samples[n] ?? 0) ** 2;
  return energy;
}

/** Normalised correlation of the first `window` samples with those `lag` later. */
function likenessAt(samples: Float32Array, lag: number, window: number, step: number): number {
  let product = 0;
  let [here, there] = [1e-9, 1e-9];
  for (let n = 0; n < window; n += step) {
    const x = samples[n] ?? 0;
    const y = samples[n + lag] ?? 0;
    product += x * y;
    here += x * x;
    there += y * y;
  }
  return product / Math.sqrt(here * there);
}
