import { describe, expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { forecastOf, forecastWithin, usedUpAtMs } from '../../../../src/bot/money/spend/forecast-of.ts';

const TEN_DAYS = { startsAtMs: 0, endsAtMs: 1_000_000 };

describe('the forecast', () => {
  test('continues at the average pace so far', () => {
    const pace = { ...TEN_DAYS, nowMs: 250_000, charged: micros(1_000_001) };
    expect(forecastOf(pace)).toBe(4_000_004);
  });

  test.each([
    ['less than a tenth is over', { nowMs: 99_999, charged: micros(5) }],
    ['nothing was charged', { nowMs: 500_000, charged: micros(0) }],
    ['the period has ended', { nowMs: 1_000_000, charged: micros(5) }],
  ])('says nothing if %s', (_why, at) => {
    expect(forecastOf({ ...TEN_DAYS, ...at })).toBeNull();
    expect(usedUpAtMs({ ...TEN_DAYS, ...at }, micros(1))).toBeNull();
  });

  test('says when a budget is used up, if it does not last', () => {
    const pace = { ...TEN_DAYS, nowMs: 250_000, charged: micros(1_000_000) };
    expect(usedUpAtMs(pace, micros(2_000_000))).toBe(500_000);
    expect(usedUpAtMs(pace, micros(4_000_000))).toBeNull();
    expect(usedUpAtMs(pace, micros(900_000))).toBeNull();
  });

  test('is spread over the remaining parts without losing a micro-dollar', () => {
    const pace = { ...TEN_DAYS, nowMs: 333_333, charged: micros(7) };
    const total = forecastOf(pace) ?? micros(0);
    const cuts = [333_333, 400_000, 555_555, 999_999, 1_000_000];
    const parts = cuts
      .slice(1)
      .map((endsAtMs, index) => forecastWithin(pace, total, { startsAtMs: cuts[index] ?? 0, endsAtMs }));
    expect(parts.reduce((sum, part) => sum + part, 7)).toBe(total);
  });
});
