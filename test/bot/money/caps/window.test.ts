import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowAt } from '../../../../src/bot/money/caps/window.ts';

const PERIODS = ['day', 'week', 'month'] as const;

function at(iso: string): number {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new TypeError(`Cannot read ${iso}`);
  return ms;
}

function window(period: (typeof PERIODS)[number], zone: string, iso: string): string[] {
  const { startsAtMs, endsAtMs } = windowAt(period, zone, at(iso));
  return [new Date(startsAtMs).toISOString(), new Date(endsAtMs).toISOString()];
}

const cases: [string, (typeof PERIODS)[number], string, string, string, string][] = [
  ['a plain UTC day', 'day', 'UTC', '2026-03-10T12:00Z', '2026-03-10T00:00Z', '2026-03-11T00:00Z'],
  ['the very first millisecond', 'day', 'UTC', '2026-03-10T00:00Z', '2026-03-10T00:00Z', '2026-03-11T00:00Z'],
  [
    'the 23 h day in Berlin',
    'day',
    'Europe/Berlin',
    '2026-03-29T12:00Z',
    '2026-03-28T23:00Z',
    '2026-03-29T22:00Z',
  ],
  [
    'the 25 h day in Berlin',
    'day',
    'Europe/Berlin',
    '2026-10-25T00:30Z',
    '2026-10-24T22:00Z',
    '2026-10-25T23:00Z',
  ],
  ['its end', 'day', 'Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z'],
  [
    'the 23 h day in New York',
    'day',
    'America/New_York',
    '2026-03-08T12:00Z',
    '2026-03-08T05:00Z',
    '2026-03-09T04:00Z',
  ],
  [
    'the 25 h day in New York',
    'day',
    'America/New_York',
    '2026-11-01T12:00Z',
    '2026-11-01T04:00Z',
    '2026-11-02T05:00Z',
  ],
  [
    'a week with a clock change',
    'week',
    'Europe/Berlin',
    '2026-03-26T12:00Z',
    '2026-03-22T23:00Z',
    '2026-03-29T22:00Z',
  ],
  [
    'a Sunday belongs to the week before',
    'week',
    'UTC',
    '2026-03-01T23:59Z',
    '2026-02-23T00:00Z',
    '2026-03-02T00:00Z',
  ],
  ['a Monday starts one', 'week', 'UTC', '2026-03-02T00:00Z', '2026-03-02T00:00Z', '2026-03-09T00:00Z'],
  ['a leap February', 'month', 'UTC', '2028-02-29T23:59Z', '2028-02-01T00:00Z', '2028-03-01T00:00Z'],
  [
    'a common February',
    'month',
    'America/New_York',
    '2027-02-28T12:00Z',
    '2027-02-01T05:00Z',
    '2027-03-01T05:00Z',
  ],
  ['December', 'month', 'Asia/Kolkata', '2026-12-31T18:29Z', '2026-11-30T18:30Z', '2026-12-31T18:30Z'],
  [
    'the day before Apia skipped one',
    'day',
    'Pacific/Apia',
    '2011-12-30T09:59Z',
    '2011-12-29T10:00Z',
    '2011-12-30T10:00Z',
  ],
  [
    'the day after Apia skipped one',
    'day',
    'Pacific/Apia',
    '2011-12-30T10:00Z',
    '2011-12-30T10:00Z',
    '2011-12-31T10:00Z',
  ],
  [
    'the week in which Apia skipped a day',
    'week',
    'Pacific/Apia',
    '2011-12-31T00:00Z',
    '2011-12-26T10:00Z',
    '2012-01-01T10:00Z',
  ],
  [
    'a day without midnight in Cairo',
    'day',
    'Africa/Cairo',
    '2026-04-24T12:00Z',
    '2026-04-23T22:00Z',
    '2026-04-24T21:00Z',
  ],
  [
    'a day with two midnights in Havana',
    'day',
    'America/Havana',
    '2026-11-01T12:00Z',
    '2026-11-01T04:00Z',
    '2026-11-02T05:00Z',
  ],
];

test.each(cases)('%s', (_what, period, zone, iso, start, end) => {
  expect(window(period, zone, iso)).toEqual([
    new Date(at(start)).toISOString(),
    new Date(at(end)).toISOString(),
  ]);
});

test('if clocks go back across midnight, an instant whose date has passed belongs to the later day', () => {
  // St. John's in 2006: at 00:01 on Sunday, 29 October, the clocks went back to 23:01 on Saturday.
  expect(window('day', 'America/St_Johns', '2006-10-29T02:31:30Z')[0]).toBe('2006-10-29T02:30:00.000Z');
  expect(window('day', 'America/St_Johns', '2006-10-29T03:00:00Z')[0]).toBe('2006-10-29T02:30:00.000Z');
  expect(window('day', 'America/St_Johns', '2006-10-29T02:29:59Z')[1]).toBe('2006-10-29T02:30:00.000Z');
});

test('windows of every zone contain their instant and follow one another', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...PERIODS),
      fc.integer({ min: at('1995-01-01T00:00Z'), max: at('2060-01-01T00:00Z') }),
      (zone, period, nowMs) => {
        const { startsAtMs, endsAtMs } = windowAt(period, zone, nowMs);
        expect(startsAtMs).toBeLessThanOrEqual(nowMs);
        expect(endsAtMs).toBeGreaterThan(nowMs);
        expect(windowAt(period, zone, startsAtMs)).toEqual({ startsAtMs, endsAtMs });
        expect(windowAt(period, zone, endsAtMs - 1)).toEqual({ startsAtMs, endsAtMs });
        expect(windowAt(period, zone, endsAtMs).startsAtMs).toBe(endsAtMs);
      },
    ),
    { numRuns: 800 },
  );
});

test('an unknown time zone is refused', () => {
  expect(() => windowAt('day', 'Mars/Olympus', 0)).toThrow(RangeError);
});
