import { expect, test } from 'vitest';
import { putBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import type { SpendPeriod } from '../../../../src/bot/money/spend/spend-buckets.ts';
import type { SpendReport } from '../../../../src/bot/money/spend/spend-report.ts';
import { useDesk } from './use-desk.ts';

const QUARTER_MS = 900_000;

const usedIn = ({ buckets }: SpendReport): number[] =>
  buckets.map(({ spent }) => spent.reduce((sum, { posted, pending }) => sum + posted + pending, 0));

test('every amount belongs to exactly one part, and the parts add up to the ledger', async () => {
  const { bench, report, spend } = await useDesk('Europe/Berlin');
  const startMs = Date.parse('2026-10-24T21:00:00Z');
  // Two days in steps of a quarter-hour, including the hour that occurs twice.
  for (let slot = 0; slot < 48 * 4; slot += 1) {
    await spend(
      startMs + slot * QUARTER_MS + slot,
      1_000 + slot,
      String(slot % 3),
      slot % 2 ? 'avatar' : 'photo_swap',
    );
  }
  const balances = await sumAccounts(bench.database.kysely, 'guild');
  for (const period of ['month', 'total'] as const satisfies readonly SpendPeriod[]) {
    const { total } = await report({ period });
    expect([total.posted, total.pending, total.overrun]).toEqual([
      balances.spent,
      balances.pending,
      -balances.overrun,
    ]);
  }
  const members = await Promise.all(['0', '1', '2'].map((memberId) => report({ period: 'total', memberId })));
  expect(members.reduce((sum, { total }) => sum + total.posted, 0)).toBe(balances.spent);
});

test('a day of 25 hours contains its 25 hours, and the zone decides the day of an amount', async () => {
  const { bench, report, spend } = await useDesk('Europe/Berlin');
  const midnightMs = Date.parse('2026-10-24T22:00:00Z');
  await spend(midnightMs - 1, 7);
  for (let hour = 0; hour < 25; hour += 1) await spend(midnightMs + hour * 3_600_000, 1_000);
  await spend(midnightMs + 25 * 3_600_000, 9);

  const day = await report({ period: 'last_day' });
  expect(day.buckets).toHaveLength(25);
  expect(usedIn(day).filter((used) => used === 0)).toEqual([]);
  const inBerlin = usedIn(day).reduce((sum, used) => sum + used, 0);

  const { database } = bench;
  await database.transaction('guild:guild', (trx) => putBudgetSettings(trx, 'guild', { time_zone: 'UTC' }));
  const month = await report({ period: 'month' });
  const before = usedIn(month)[23] ?? 0;
  const after = usedIn(month)[24] ?? 0;
  expect(before + after).toBe(7 + inBerlin + 9);
  expect(before).toBeGreaterThan(2_000);
});

test('a change of the zone neither loses nor doubles anything', async () => {
  const { bench, report, spend } = await useDesk('Asia/Kathmandu');
  const startMs = Date.parse('2026-11-01T00:00:00Z');
  for (let hour = 0; hour < 60; hour += 1) await spend(startMs + hour * 7_000_000, 1_001 + hour);
  const totals = new Set<number>();
  for (const zone of ['Asia/Kathmandu', 'UTC', 'America/St_Johns', 'Australia/Lord_Howe']) {
    await bench.database.transaction('guild:guild', (trx) =>
      putBudgetSettings(trx, 'guild', { time_zone: zone }),
    );
    const { total } = await report({ period: 'total' });
    totals.add(total.posted + total.pending);
  }
  expect(totals.size).toBe(1);
});

test('a late correction is counted on the day of its job', async () => {
  const { bench, report } = await useDesk('UTC');
  await bench.clock.advance(Date.parse('2026-11-10T10:00:00Z') - bench.clock.now());
  await bench.hold('job_late', 50_000);
  await bench.post('job_late', 50_000);
  await bench.clock.advance(2 * 86_400_000);
  await bench.post('job_late', 20_000);
  const used = usedIn(await report({ period: 'month' }));
  expect([used[9], used[11]]).toEqual([20_000, 0]);
});

test('the members who spent most come first, at most five of them', async () => {
  const { report, spend } = await useDesk('UTC');
  const atMs = Date.parse('2026-11-10T10:00:00Z');
  for (const day of [0, 1]) {
    for (let member = 1; member <= 7; member += 1) {
      await spend(atMs + day * 86_400_000, member * 1_000, String(member));
    }
  }
  const { topMembers } = await report({ period: 'month' });
  expect(topMembers.map(({ userId }) => userId)).toEqual(['7', '6', '5', '4', '3']);
});

test('the spending of each member is summed over the whole period, sorted by id if equal, and left out if zero', async () => {
  const { bench, report } = await useDesk('UTC');
  const startMs = Date.UTC(2026, 10, 1);
  for (const [round, day] of [0, 9, 18].entries()) {
    await bench.clock.advance(startMs + day * 86_400_000 - bench.clock.now());
    for (const userId of ['3', '2', '1']) {
      const hold = (what: string) => bench.hold(`${what} ${userId} ${day}`, 100, { userId });
      await hold('charged');
      await bench.post(`charged ${userId} ${day}`, userId === '1' ? 100 : 130 + round);
      await hold('pending');
    }
    await bench.hold(`voided ${day}`, 100, { userId: '4' });
    await bench.void(`voided ${day}`);
  }
  const { topMembers } = await report({ period: 'month' });
  const most = { posted: 393, pending: 300, overrun: 93 };
  expect(topMembers).toEqual([
    { userId: '2', ...most },
    { userId: '3', ...most },
    { userId: '1', posted: 300, pending: 300, overrun: 0 },
  ]);
});

test('a member who was never among the top five of a day may be the first of a month', async () => {
  const { bench, report } = await useDesk('UTC');
  for (const days of ['abcde', 'fghij']) {
    for (const userId of days) await bench.hold(`job of ${userId}`, 100, { userId });
    await bench.hold(`${days} of z`, 90, { userId: 'z' });
    await bench.clock.advance(10 * 86_400_000);
  }
  const { topMembers } = await report({ period: 'month' });
  expect(topMembers.map(({ userId }) => userId)).toEqual(['z', 'a', 'b', 'c', 'd']);
});
