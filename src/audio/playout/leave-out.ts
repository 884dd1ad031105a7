import { energyOf, findPeriod } from '../find-period.ts';
import type { SampleQueue } from '../sample-queue.ts';

const COMPARED_SECONDS = 0.01;
/** If two neighbouring stretches are at least this alike, members do not notice that one of them is left out. */
const ALIKE = 0.75;
const FADE_SECONDS = 0.005;

/**
 * Leaves out one voice period of at most `mostFrames` samples at the beginning of the queue, if it is like the next
 * period. Jitter buffers in telephony do the same. For a moment, speech is faster at the same pitch. Returns the number
 * of samples left out, or 0.
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

/** Leaves out `frames` samples where the sound is quietest. Returns the index of the first of them. */
export function leaveOutQuietest(queue: SampleQueue, sampleRateHz: number, frames: number): number {
  const { waiting } = queue;
  const fade = Math.round(FADE_SECONDS * sampleRateHz);
  const last = waiting.length - frames - fade;
  if (last < 0) {
    queue.drop(Math.min(frames, waiting.length));
    return 0;
  }
  let energy = energyOf(waiting, 0, frames + fade);
  let [at, least] = [0, energy];
  for (let from = fade; from <= last; from += fade) {
    energy += energyOf(waiting, from + frames, fade) - energyOf(waiting, from - fade, fade);
    if (energy < least) [at, least] = [from, energy];
  }
  queue.cut(at, frames, fade);
  return at;
}
