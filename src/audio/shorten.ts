import { energyOf, findPeriod } from './likeness.ts';
import type { SampleQueue } from './sample-queue.ts';

const COMPARED_SECONDS = 0.01;
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
  const most = Math.min(mostFrames, waiting.length - 2 * window);
  const best = findPeriod(waiting, { at: 0, window, most, side: 1, sampleRateHz });
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
