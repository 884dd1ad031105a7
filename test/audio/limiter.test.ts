import { expect, test } from 'vitest';
import { Limiter } from '../../src/audio/limiter.ts';
import { peakOf } from '../../src/audio/sound-guard.ts';

const RATE_HZ = 48_000;

function tone(hz: number, peak: number, seconds: number): Float32Array {
  return Float32Array.from(
    { length: seconds * RATE_HZ },
    (_, n) => peak * Math.sin((2 * Math.PI * hz * n) / RATE_HZ),
  );
}

test('passes soft sound unchanged', () => {
  const sound = tone(300, 0.7, 1);
  const limited = sound.slice();
  new Limiter(RATE_HZ).process(limited);
  expect(limited).toEqual(sound);
});

test('keeps many simultaneous voices below the ceiling, without a jump between samples', () => {
  const voices = [200, 317, 451, 733].map((hz) => tone(hz, 0.9, 1));
  const mix = Float32Array.from(voices[0] ?? [], (_, n) =>
    voices.reduce((sum, voice) => sum + (voice[n] ?? 0), 0),
  );
  new Limiter(RATE_HZ).process(mix);
  const steps = mix.slice(1).map((sample, n) => Math.abs(sample - (mix[n] ?? 0)));
  expect(peakOf(mix)).toBeLessThanOrEqual(0.951);
  expect(peakOf(mix)).toBeGreaterThan(0.7);
  expect(Math.max(...steps)).toBeLessThan(0.25);
});

test('returns other voices to their level within half a second after a loud one', () => {
  const limiter = new Limiter(RATE_HZ);
  limiter.process(tone(300, 4, 0.5));
  const after = tone(300, 0.5, 1);
  limiter.process(after);
  expect(peakOf(after.subarray(0, 480))).toBeLessThan(0.3);
  expect(peakOf(after.subarray(RATE_HZ / 2))).toBeGreaterThan(0.49);
});
