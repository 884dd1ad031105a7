import { expect, test } from 'vitest';
import { clockTime, findTimeZones, isTimeZone, timeZoneNamed } from '../../src/base/time-zone.ts';

test.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Etc/GMT+5', 'europe/berlin'])('accepts %s', (name) => {
  expect(isTimeZone(name)).toBe(true);
});

test.each(['', '+05:17', '-01', 'Mars/Base', 'UTC; drop table', 'x'.repeat(6_000)])(
  'rejects %.20j',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
    expect(timeZoneNamed(name)).toBeUndefined();
  },
);

test('reads a zone in any letter case', () => {
  expect(timeZoneNamed(' europe/BERLIN ')).toBe('Europe/Berlin');
  expect(timeZoneNamed('america/new york')).toBe('America/New_York');
  expect(timeZoneNamed('utc')).toBe('UTC');
  expect(timeZoneNamed('asia/kolkata')).toBe('Asia/Kolkata');
});

test('finds zones by any part of their names, the best matches first, up to a limit', () => {
  expect(findTimeZones('berlin', 25)).toEqual(['Europe/Berlin']);
  expect(findTimeZones('new y', 25)).toEqual(['America/New_York']);
  expect(findTimeZones('europe', 3).every((name) => name.startsWith('Europe/'))).toBe(true);
  expect(findTimeZones('kyiv', 25)).toEqual(['Europe/Kyiv']);
  expect(findTimeZones('', 25)).toHaveLength(25);
  expect(findTimeZones('no such place', 25)).toEqual([]);
});

test('returns the local time of a zone', () => {
  expect(clockTime('Asia/Kathmandu', Date.UTC(2026, 0, 1, 18, 30))).toBe('00:15');
});
