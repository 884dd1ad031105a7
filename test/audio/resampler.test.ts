import { expect, test } from 'vitest';
import { Resampler } from '../../src/audio/resampler.ts';
import { SeededNoise } from '../../src/audio/seeded-noise.ts';
import { resample } from './analysis.ts';

const RATIOS: readonly (readonly [number, number])[] = [
  [48_000, 16_000],
  [16_000, 48_000],
  [48_000, 24_000],
  [24_000, 48_000],
  [48_000, 32_000],
  [32_000, 48_000],
  [48_000, 40_000],
  [40_000, 48_000],
  [48_000, 44_100],
  [44_100, 48_000],
  [44_100, 8000],
  [48_000, 8000],
  [8000, 48_000],
  [22_050, 24_001],
];

function sine(hz: number, sampleRateHz: number, frames: number): Float32Array {
  return Float32Array.from(
    { length: frames },
    (_, n) => 0.8 * Math.sin((2 * Math.PI * hz * n) / sampleRateHz),
  );
}

function decibels(signal: Float32Array, error: Float32Array): number {
  const energy = (samples: Float32Array): number => samples.reduce((sum, x) => sum + x * x, 0);
  return 10 * Math.log10(energy(signal) / energy(error));
}

test.each(RATIOS)(
  'resamples tones from %i to %i Hz with everything else 75 dB lower',
  (inputHz, outputHz) => {
    for (const hz of [200, 1000, 0.3 * Math.min(inputHz, outputHz)]) {
      const output = resample(sine(hz, inputHz, inputHz / 2), inputHz, outputHz).subarray(500);
      const ideal = sine(hz, outputHz, output.length + 500).subarray(500);
      expect(
        decibels(
          ideal,
          ideal.map((x, n) => x - (output[n] ?? 0)),
        ),
      ).toBeGreaterThan(75);
    }
  },
);

test.each([
  [48_000, 16_000, 9000],
  [44_100, 8000, 5000],
  [48_000, 40_000, 21_000],
])(
  'removes, from %i to %i Hz, a tone of %i Hz that the new rate cannot represent',
  (inputHz, outputHz, hz) => {
    const input = sine(hz, inputHz, inputHz / 2);
    const output = resample(input, inputHz, outputHz).subarray(500, -500);
    expect(decibels(input.subarray(0, output.length), output)).toBeGreaterThan(60);
  },
);

test.each(RATIOS)('delays a sample by at most 2 ms from %i to %i Hz', (inputHz, outputHz) => {
  expect(new Resampler(inputHz, outputHz).delayFrames / inputHz).toBeLessThanOrEqual(0.002);
});

test.each(RATIOS)(
  'returns the same samples for pieces of any size from %i to %i Hz, in the number that the ratio gives',
  (inputHz, outputHz) => {
    const input = sine(440, inputHz, inputHz);
    const whole = resample(input, inputHz, outputHz);
    const resampler = new Resampler(inputHz, outputHz);
    const noise = new SeededNoise(1);
    const pieces: number[] = [];
    for (let at = 0; at < input.length;) {
      const piece = input.subarray(at, at + Math.floor(noise.next() * 900));
      const output = new Float32Array(resampler.outputFramesMax(piece.length));
      pieces.push(...output.subarray(0, resampler.process(piece, output)));
      at += piece.length;
    }
    expect(Float32Array.from(pieces)).toEqual(whole);
    expect(whole.length).toBeGreaterThan(outputHz * 0.997);
    expect(whole.length).toBeLessThanOrEqual(outputHz);
  },
);

test('rejects rates that are not positive whole numbers', () => {
  expect(() => new Resampler(0, 8000)).toThrow(RangeError);
  expect(() => new Resampler(48_000, 0.5)).toThrow(RangeError);
});
