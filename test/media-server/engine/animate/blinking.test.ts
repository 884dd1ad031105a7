import { describe, expect, test } from 'vitest';
import { Blinking } from '../../../../src/media-server/engine/animate/blinking.ts';
import { smoothNoise } from '../../../../src/media-server/engine/animate/smooth-noise.ts';

const STEP_SECONDS = 0.005;

function closings(seed: number, seconds: number): number[] {
  const blinking = new Blinking(seed);
  return Array.from({ length: seconds / STEP_SECONDS }, (_, n) => blinking.at(n * STEP_SECONDS).left);
}

describe('a face that blinks by itself', () => {
  test('blinks every 2 to 6 seconds for 150 to 250 ms, and is fully closed in each blink', () => {
    const left = closings(7, 120);
    const starts = left.flatMap((now, n) => (now > 0 && left[n - 1] === 0 ? [n] : []));
    const lengths = starts.map((start) => (left.indexOf(0, start) - start) * STEP_SECONDS);
    const pauses = starts.slice(1).map((start, n) => (start - (starts[n] ?? 0)) * STEP_SECONDS);
    expect(starts.length).toBeGreaterThan(20);
    expect(Math.min(...pauses)).toBeGreaterThan(1.98);
    expect(Math.max(...pauses)).toBeLessThan(6.02);
    expect(Math.min(...lengths)).toBeGreaterThan(0.13);
    expect(Math.max(...lengths)).toBeLessThan(0.26);
    for (const start of starts) expect(Math.max(...left.slice(start, start + 50))).toBeGreaterThan(0.98);
  });

  test('closes its lids faster than it opens them', () => {
    const left = closings(7, 10);
    const start = left.findIndex((closed) => closed > 0);
    const shut = left.findIndex((closed) => closed > 0.98);
    expect(shut - start).toBeLessThan(0.45 * (left.indexOf(0, start) - start));
  });

  test('blinks identically only for equal seeds', () => {
    expect(closings(3, 10)).toEqual(closings(3, 10));
    expect(closings(3, 10)).not.toEqual(closings(4, 10));
  });
});

test('smooth noise stays within -1 to 1 without jumps', () => {
  const noise = smoothNoise(5, 2);
  const values = Array.from({ length: 6000 }, (_, n) => noise(n * 0.01));
  const steps = values.slice(1).map((value, n) => Math.abs(value - (values[n] ?? 0)));
  expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(1);
  expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(1);
  expect(Math.max(...steps)).toBeLessThan(0.02);
});
