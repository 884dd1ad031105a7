import { describe, expect, test } from 'vitest';
import { type SpendPeriod, bucketsOf } from '../../../../src/bot/money/spend/spend-buckets.ts';

const HOUR_MS = 3_600_000;
const PERIODS: readonly SpendPeriod[] = [
  'day',
  'week',
  'month',
  'last_day',
  'last_week',
  'last_month',
  'total',
];
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
];
/** Times near the change to or from daylight saving time, or near the end of a month or year. */
const MOMENTS = [
  '2026-03-29T00:30:00Z',
  '2026-10-25T00:30:00Z',
  '2026-04-05T02:00:00Z',
  '2027-01-01T00:00:00Z',
  '2028-02-29T23:59:59Z',
  '2011-12-30T10:00:00Z',
].map((text) => Date.parse(text));

describe('the parts of a period', () => {
  test('follow one another without gap or overlap, on quarters of an hour, in every zone and at every change of clocks', () => {
    for (const timeZone of ZONES) {
      for (const nowMs of MOMENTS) {
        for (const period of PERIODS) {
          const { buckets } = bucketsOf(period, { timeZone, nowMs, firstMs: nowMs - 400 * 24 * HOUR_MS });
          expect(buckets.length).toBeLessThanOrEqual(48);
          expect((buckets.at(-1)?.endsAtMs ?? 0) > nowMs).toBe(!period.startsWith('last_'));
          for (const [index, { startsAtMs, endsAtMs }] of buckets.entries()) {
            expect(startsAtMs % 900_000).toBe(0);
            expect(endsAtMs).toBeGreaterThan(startsAtMs);
            expect(buckets[index + 1]?.startsAtMs ?? endsAtMs).toBe(endsAtMs);
          }
        }
      }
    }
  });

  test.each([
    ['2026-10-25T12:00:00Z', 25],
    ['2026-03-29T12:00:00Z', 23],
    ['2026-11-18T12:00:00Z', 24],
  ])('are the hours of a day: on %s there are %i', (now, hours) => {
    const { buckets, step } = bucketsOf('day', {
      timeZone: 'Europe/Berlin',
      nowMs: Date.parse(now),
      firstMs: undefined,
    });
    expect([step, buckets.length]).toEqual(['hour', hours]);
  });

  test('of last month are those of the month before, whatever its length', () => {
    const nowMs = Date.parse('2026-03-31T10:00:00Z');
    const { buckets } = bucketsOf('last_month', { timeZone: 'Europe/Berlin', nowMs, firstMs: undefined });
    expect(buckets).toHaveLength(28);
    expect(new Date(buckets[0]?.startsAtMs ?? 0).toISOString()).toBe('2026-01-31T23:00:00.000Z');
  });

  test.each([
    [0, 'day', 1],
    [20, 'day', 21],
    [120, 'week', 18],
    [500, 'month', 17],
    [4_000, 'month', 48],
  ])('of everything since %i days ago are readable: by %s', (days, step, count) => {
    const nowMs = Date.parse('2026-11-18T13:00:00Z');
    const firstMs = nowMs - days * 24 * HOUR_MS;
    const parts = bucketsOf('total', { timeZone: 'UTC', nowMs, firstMs });
    expect([parts.step, parts.buckets.length]).toEqual([step, count]);
    expect(parts.buckets[0]?.startsAtMs).toBeLessThanOrEqual(firstMs);
    expect(parts.buckets.at(-1)?.endsAtMs).toBeGreaterThan(nowMs);
    expect(parts.isFirstLonger).toBe(days > 2_000);
  });
});
