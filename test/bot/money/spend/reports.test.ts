import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import type { CapView } from '../../../../src/bot/money/caps/cap.ts';
import { forecastOf, usedUpAtMs } from '../../../../src/bot/money/spend/forecast-of.ts';
import { capPeriodOf, tightestCap } from '../../../../src/bot/money/spend/spend-report.ts';
import { NOON_MS, aCap, aReport } from './a-report.ts';

const MONTH = { startsAtMs: Date.parse('2026-10-31T23:00Z'), endsAtMs: Date.parse('2026-11-30T23:00Z') };
const role = { kind: 'role', roleId: '1' } as const;
const member = { kind: 'member', userId: '2' } as const;

test('a report is the sum of its parts, for any spending', () => {
  const report = aReport({ capabilities: ['lip_sync', 'avatar', 'lip_sync'], amount: 7 });
  expect(report).toMatchObject({ ...MONTH, step: 'day', isFirstLonger: false, isNew: false });
  // Eighteen days of the month have started.
  expect(report.total).toEqual({ posted: 18 * 21, pending: 0, overrun: 0 });
  expect(report.capabilities.map(({ capability, posted }) => [capability, posted])).toEqual([
    ['lip_sync', 18 * 14],
    ['avatar', 18 * 7],
  ]);
  expect(report.buckets.map(({ spent }) => spent.length)).toEqual([
    ...Array.from({ length: 18 }, () => 2),
    ...Array.from({ length: 12 }, () => 0),
  ]);
  expect(report.forecast).toBe(forecastOf({ ...MONTH, nowMs: NOON_MS, charged: report.total.posted }));
});

test('capabilities with equal spending are sorted by name', () => {
  const { capabilities } = aReport({ capabilities: ['lip_sync', 'avatar', 'photo_swap'] });
  expect(capabilities.map(({ capability }) => capability)).toEqual(['avatar', 'lip_sync', 'photo_swap']);
});

test.each(['last_day', 'last_week', 'last_month', 'total'] as const)(
  'there is no forecast for %s',
  (period) => {
    const caps = [aCap(1e9, capPeriodOf(period), { posted: micros(5e8) } as never)];
    expect(aReport({ period, caps })).toMatchObject({ forecast: null, usedUpAtMs: null });
  },
);

/** The scope of each cap, and whether each of four reports shows it. */
test.each<readonly [string, Partial<CapView>, readonly [boolean, boolean, boolean, boolean]]>([
  // The four columns are the reports on everyone, on everyone's avatars, on one member, and on that member's avatars.
  ['everything of the guild', {}, [true, true, false, false]],
  ['avatars of the guild', { capability: 'avatar' }, [true, true, false, false]],
  ['lip syncs of the guild', { capability: 'lip_sync' }, [true, false, false, false]],
  ['the operator', { target: { kind: 'operator' } }, [true, true, false, false]],
  ['the default', { target: { kind: 'default' } }, [true, true, false, false]],
  ['a role', { target: role }, [false, false, true, true]],
  ['a role’s lip syncs', { target: role, capability: 'lip_sync' }, [false, false, true, false]],
  ['a member', { target: member }, [false, false, true, true]],
  ['a member’s avatars', { target: member, capability: 'avatar' }, [false, false, true, true]],
])('the cap on %s is shown where it applies', (_name, changes, shown) => {
  const caps = [aCap(10, 'month', changes)];
  const found = [
    aReport({ caps }),
    aReport({ caps, capability: 'avatar' }),
    aReport({ caps, userId: '2' }),
    aReport({ caps, userId: '2', capability: 'avatar' }),
  ].map((report) => report.caps.length > 0);
  expect(found).toEqual(shown);
});

test('the tightest cap is the lowest of the same period and subject', () => {
  const caps = [
    aCap(30, 'month'),
    aCap(20, 'month', { target: role }),
    aCap(10, 'week'),
    aCap(5, 'month', { capability: 'avatar' }),
    aCap(7, 'month', { capability: 'avatar', target: role }),
  ];
  expect(tightestCap({ caps, capability: null }, 'month')?.limit).toBe(20);
  expect(tightestCap({ caps, capability: 'avatar' }, 'month')?.limit).toBe(5);
  expect(tightestCap({ caps, capability: null }, 'day')).toBeUndefined();
  expect(['day', 'last_day', 'last_month', 'total'].map((period) => capPeriodOf(period as 'day'))).toEqual([
    'day',
    'day',
    'month',
    'total',
  ]);
});

test('a cap is used up at its own pace, in its own window, and amounts set aside count', () => {
  const startsAtMs = NOON_MS - 1_000_000;
  const cap: CapView = {
    ...aCap(1_000, 'month'),
    posted: micros(200),
    pending: micros(100),
    startsAtMs,
    resetsAtMs: NOON_MS + 9_000_000,
  };
  // The pace is 200 per million milliseconds. 100 are set aside, so the remaining 900 are used up at 4.5 million.
  expect(aReport({ caps: [cap] }).usedUpAtMs).toBe(startsAtMs + 4_500_000);
  expect(aReport({ caps: [{ ...cap, resetsAtMs: NOON_MS + 3_000_000 }] }).usedUpAtMs).toBeNull();
  expect(aReport({ caps: [{ ...cap, period: 'week' }] }).usedUpAtMs).toBeNull();
  expect(aReport({ caps: [{ ...cap, posted: micros(900) }] }).usedUpAtMs).toBeNull();
  expect(aReport({ caps: [{ ...cap, resetsAtMs: null }] }).usedUpAtMs).toBeNull();
});

test('a forecast starts when a tenth of the period is over, and ends with it', () => {
  const pace = (nowMs: number, charged = 100) => ({
    startsAtMs: 0,
    endsAtMs: 1_000,
    nowMs,
    charged: micros(charged),
  });
  expect([99, 100, 500, 999, 1_000].map((nowMs) => forecastOf(pace(nowMs)))).toEqual([
    null,
    1_000,
    200,
    100,
    null,
  ]);
  // Amounts are rounded half up.
  expect(forecastOf(pace(400, 1))).toBe(3);
  expect(forecastOf(pace(401, 1))).toBe(2);
  expect([199, 200, 150, 100, 101].map((limit) => usedUpAtMs(pace(500), micros(limit)))).toEqual([
    995,
    null,
    750,
    null,
    505,
  ]);
});
