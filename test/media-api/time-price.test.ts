import fc from 'fast-check';
import { expect, test } from 'vitest';
import { micros, parseUsd } from '../../src/base/money.ts';
import type { CapabilityRate } from '../../src/media-api/rate-card.ts';
import { costByRate, costOfTime } from '../../src/media-api/time-price.ts';

const TEN_MINUTES = { seconds: 600, maxCost: parseUsd('6') };

test('seven seconds at 0.60 a minute cost 0.07', () => {
  expect(costOfTime(TEN_MINUTES, 7_000)).toBe(70_000);
  expect(costOfTime(TEN_MINUTES, 0)).toBe(0);
  expect(costOfTime(TEN_MINUTES, -5)).toBe(0);
  expect(costOfTime(TEN_MINUTES, 600_000)).toBe(6_000_000);
  expect(costOfTime(TEN_MINUTES, 1e15)).toBe(6_000_000);
});

test('the cost of time never falls, is whole, is never less than its share, and never more than a micro-dollar above it', () => {
  const seconds = fc.integer({ min: 1, max: 14_400 });
  const cost = fc.integer({ min: 0, max: 10 ** 10 });
  fc.assert(
    fc.property(seconds, cost, fc.nat(1e7), fc.nat(1e5), (granted, max, ms, more) => {
      const grant = { seconds: granted, maxCost: micros(max) };
      const share = (max * Math.min(ms, granted * 1000)) / (granted * 1000);
      const found = costOfTime(grant, ms);
      expect(found).toBeGreaterThanOrEqual(Math.floor(share));
      expect(found - share).toBeLessThan(1.001);
      expect(costOfTime(grant, ms + more)).toBeGreaterThanOrEqual(found);
      expect(found).toBeLessThanOrEqual(max);
    }),
    { numRuns: 1_000 },
  );
});

test.each<[CapabilityRate['unit'], string, number, number]>([
  ['minute', '0.06', 600, 600_000],
  ['second', '0.001', 600, 600_000],
  // A session rate without a unit is per minute, because sessions are priced by the minute.
  [null, '0.06', 90, 90_000],
  ['minute', '0.0001', 1, 2],
])('with a rate per %s of %s, %s seconds cost %s', (unit, rate, seconds, expected) => {
  const none = { minimum: parseUsd('5'), estimatedHold: parseUsd('5') };
  expect(costByRate({ rate: parseUsd(rate), unit, ...none }, seconds)).toBe(expected);
});

test('without a rate the cost is unknown', () => {
  expect(costByRate(undefined, 60)).toBe(0);
  expect(costByRate({ rate: null, unit: 'minute', minimum: null, estimatedHold: null }, 60)).toBe(0);
});
