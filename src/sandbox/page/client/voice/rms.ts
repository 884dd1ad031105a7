/** Returns the root mean square of samples, 0 to 1. For a full-scale sine wave, it is 0.7. */
export function rmsOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
