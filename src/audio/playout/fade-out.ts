import { findPeriod } from '../find-period.ts';

const COMPARED_SECONDS = 0.004;
/**
 * A voice continues for `VOICE_SECONDS` by repeating its last period. Any other sound continues for `SOUND_SECONDS` by
 * being played backwards.
 */
const VOICE_SECONDS = 0.016;
const SOUND_SECONDS = 0.0025;
const ALIKE = 0.6;

/**
 * Writes a continuation of `heard`, the last 20 ms of sound, to be played when no more sound has arrived. It fades out
 * without a click and then becomes silent.
 */
export function fadeOut(heard: Float32Array, into: Float32Array, sampleRateHz: number): void {
  const window = Math.round(COMPARED_SECONDS * sampleRateHz);
  const at = heard.length - window;
  const { lag, likeness } = findPeriod(heard, { at, window, most: at, side: -1, sampleRateHz });
  const isVoice = likeness >= ALIKE;
  const length = Math.round((isVoice ? VOICE_SECONDS : SOUND_SECONDS) * sampleRateHz);
  const frames = Math.min(into.length, length);
  for (let n = 0; n < frames; n++) {
    const from = isVoice ? heard.length - lag + (n % lag) : heard.length - 1 - n;
    into[n] = (heard[from] ?? 0) * (1 - (n + 1) / frames);
  }
  into.fill(0, frames);
}
