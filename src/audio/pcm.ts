/** Full scale of 16-bit samples. */
const FULL_SCALE = 32_768;

/** Converts 16-bit samples to numbers from -1 to 1. */
export function toFloat(pcm: Int16Array, into: Float32Array): void {
  for (let n = 0; n < pcm.length; n++) into[n] = (pcm[n] ?? 0) / FULL_SCALE;
}

/** Converts the first `into.length` numbers to rounded 16-bit samples. Numbers beyond full scale are clipped. */
export function toPcm(samples: Float32Array, into: Int16Array): void {
  for (let n = 0; n < into.length; n++) {
    const scaled = Math.round((samples[n] ?? 0) * FULL_SCALE);
    into[n] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, scaled));
  }
}
