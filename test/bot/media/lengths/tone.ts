import type { AudioSampleInit } from 'mediabunny';

export const TONE_HZ = 48_000;

/** Returns a tone of this many seconds that rises and falls in volume like speech. */
export function tone(seconds: number): AudioSampleInit {
  const data = Float32Array.from({ length: TONE_HZ * seconds }, (_none, at) => {
    return (Math.sin(at / 10) / 3) * (at % 9_600 < 6_000 ? 1 : 0.01);
  });
  return { data, format: 'f32', numberOfChannels: 1, sampleRate: TONE_HZ, timestamp: 0 };
}
