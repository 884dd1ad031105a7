import { expect, test } from 'vitest';
import { fadeOut } from '../../../src/audio/playout/fade-out.ts';
import { SeededNoise } from '../../../src/audio/seeded-noise.ts';
import { peakOf } from '../../../src/audio/sound-guard.ts';
import { similarity } from '../use-opus.ts';

const HEARD = 960;

test.each([100, 150, 220, 333])('continues a voice of %i Hz, lowers its level and ends it', (hz) => {
  const voice = Float32Array.from(
    { length: 2 * HEARD },
    (_, n) =>
      0.3 * Math.sin((2 * Math.PI * hz * n) / 48_000) + 0.1 * Math.sin((4 * Math.PI * hz * n) / 48_000),
  );
  const rest = new Float32Array(HEARD).fill(1);
  fadeOut(voice.subarray(0, HEARD), rest, 48_000);
  const faded = voice.subarray(HEARD, HEARD + 480).map((x, n) => x * (1 - (n + 1) / 768));
  expect(similarity(faded, rest)).toBeGreaterThan(15);
  expect(peakOf(rest.subarray(800))).toBe(0);
});

test('ends other sounds fast and without a step', () => {
  const noise = new SeededNoise(1);
  const heard = Float32Array.from({ length: HEARD }, () => noise.next() - 0.5);
  const rest = new Float32Array(HEARD);
  fadeOut(heard, rest, 48_000);
  expect(Math.abs((rest[0] ?? 1) - (heard[HEARD - 1] ?? 0))).toBeLessThan(0.02);
  expect(peakOf(rest.subarray(120))).toBe(0);
});

test('ends the sound within a short remainder of the frame', () => {
  const rest = new Float32Array(200);
  fadeOut(new Float32Array(HEARD).fill(0.5), rest, 48_000);
  expect(Math.abs(rest[199] ?? 1)).toBeLessThan(0.01);
});
