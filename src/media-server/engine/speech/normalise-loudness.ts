/** The target level: the root mean square of the parts that contain speech, about -18 LUFS. */
const SPEECH_LEVEL = 10 ** (-18.5 / 20);
const PEAK_MAX = 10 ** (-1.2 / 20);
/** Peaks above this level are compressed softly, so that none exceeds `PEAK_MAX`. */
const BEND_ABOVE = 10 ** (-4 / 20);
const BLOCK_SECONDS = 0.05;
/** Blocks more than 20 dB below the loudest count as pauses. */
const PAUSE_SHARE = 0.01;

/**
 * Normalises speech to the usual loudness, in place: about -18 LUFS with peaks below -1 dBFS. Silence stays
 * silence.
 */
export function normaliseLoudness(samples: Float32Array, sampleRateHz: number): void {
  const level = speechLevel(samples, Math.round(BLOCK_SECONDS * sampleRateHz));
  if (level === 0) return;
  const gain = SPEECH_LEVEL / level;
  for (let n = 0; n < samples.length; n++) samples[n] = bend((samples[n] ?? 0) * gain);
}

function speechLevel(samples: Float32Array, blockLength: number): number {
  const powers: number[] = [];
  for (let from = 0; from < samples.length; from += blockLength) {
    const block = samples.subarray(from, from + blockLength);
    powers.push(block.reduce((sum, value) => sum + value * value, 0) / block.length);
  }
  const loudest = powers.reduce((most, power) => Math.max(most, power), 0);
  const spoken = powers.filter((power) => power > loudest * PAUSE_SHARE);
  return spoken.length === 0 ? 0 : Math.sqrt(spoken.reduce((sum, power) => sum + power, 0) / spoken.length);
}

function bend(value: number): number {
  const size = Math.abs(value);
  if (size <= BEND_ABOVE) return value;
  const room = PEAK_MAX - BEND_ABOVE;
  return Math.sign(value) * (BEND_ABOVE + room * Math.tanh((size - BEND_ABOVE) / room));
}
