import { expect, test } from 'vitest';
import { setCap, clearCap } from './set-cap.ts';
import { type LedgerBench, useLedger } from '../ledger/use-ledger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ADA = { userId: 'ada', roleIds: ['artists', 'guests'] };

async function alertsOf({ database }: LedgerBench): Promise<unknown[][]> {
  const rows = await database.kysely.selectFrom('budget_alerts').selectAll().orderBy('percent').execute();
  return rows.map((row) => [row.target_kind, row.target_id, row.user_id, row.percent, row.used_micros]);
}

test('all caps must allow a hold, and the refusal names the one with the least left', async () => {
  const bench = await useLedger();
  const db = bench.database.kysely;
  await setCap(db, { kind: 'operator', period: 'total', limit: 900 });
  await setCap(db, { period: 'month', limit: 800 });
  await setCap(db, { capability: 'photo_swap', period: 'week', limit: 700 });
  await setCap(db, { kind: 'role', targetId: 'guests', limit: 300 });
  await setCap(db, { kind: 'role', targetId: 'strangers', limit: 0 });
  await setCap(db, { kind: 'member', targetId: 'ada', period: 'total', limit: 600 });
  await setCap(db, { kind: 'member', targetId: 'ben', limit: 0 });

  expect(await bench.hold('a', 300, ADA)).toMatchObject({
    held: true,
    budget: { limit: 800, left: 500, period: 'month' },
  });
  expect(await bench.hold('b', 301, ADA)).toMatchObject({
    held: false,
    needed: 301,
    cap: { target: { kind: 'role', roleId: 'guests' }, left: 0, posted: 0, pending: 300 },
  });
  expect(await bench.hold('c', 301, { ...ADA, roleIds: ['artists'] })).toMatchObject({
    cap: { target: { kind: 'member', userId: 'ada' }, left: 300, resetsAtMs: null },
  });
  expect(await bench.hold('d', 401, { userId: 'eve' })).toMatchObject({
    cap: { target: { kind: 'guild' }, capability: 'photo_swap', left: 400, period: 'week' },
  });
  expect(await bench.hold('e', 501, { userId: 'eve', capability: 'lip_sync' })).toMatchObject({
    cap: { target: { kind: 'guild' }, capability: null, left: 500, period: 'month' },
  });
  await clearCap(db, { period: 'month' });
  await setCap(db, { period: 'month', limit: 1_000_000 });
  expect(await bench.hold('f', 601, { userId: 'eve', capability: 'lip_sync' })).toMatchObject({
    cap: { target: { kind: 'operator' }, left: 600, period: 'total', resetsAtMs: null },
  });
  expect(await bench.hold('g', 1, { userId: 'ben' })).toMatchObject({ held: false, cap: { limit: 0 } });
});

test("a role's cap limits each member with the role separately", async () => {
  const bench = await useLedger();
  await setCap(bench.database.kysely, { kind: 'role', targetId: 'guests', limit: 100 });
  expect(await bench.hold('a', 100, { userId: 'ada', roleIds: ['guests'] })).toMatchObject({ held: true });
  expect(await bench.hold('b', 100, { userId: 'ben', roleIds: ['guests'] })).toMatchObject({ held: true });
  expect(await bench.hold('c', 1, { userId: 'ada', roleIds: ['guests'] })).toMatchObject({ held: false });
  expect(await bench.hold('d', 1, { userId: 'ada', roleIds: [] })).toMatchObject({ held: true });
});

test('a larger amount respects the roles and windows at the time of its hold', async () => {
  const bench = await useLedger();
  await setCap(bench.database.kysely, { kind: 'role', targetId: 'guests', limit: 100 });
  await bench.hold('a', 60, { userId: 'ada', roleIds: ['guests'] });
  await bench.clock.advance(DAY_MS);
  await bench.hold('today', 60, { userId: 'ada', roleIds: ['guests'] });
  // The result describes the cap without this hold. Its whole limit is left, because the other hold counts towards
  // another day.
  expect(await bench.resize('a', 101)).toMatchObject({
    held: false,
    cap: {
      target: { kind: 'role', roleId: 'guests' },
      pending: 0,
      left: 100,
      resetsAtMs: Date.UTC(2026, 0, 2),
    },
  });
  expect(await bench.resize('a', 100)).toMatchObject({ held: true, amount: 100 });
});

test('a cap that is set late counts what was used before, and a total never restarts', async () => {
  const bench = await useLedger();
  const db = bench.database.kysely;
  await bench.hold('a', 70);
  await bench.clock.advance(40 * DAY_MS);
  await setCap(db, { period: 'total', limit: 100 });
  expect(await bench.ledger.budget(db, 'guild')).toEqual({
    limit: 100,
    left: 30,
    period: 'total',
    resetsAtMs: null,
  });
  await bench.clock.advance(400 * DAY_MS);
  expect(await bench.hold('b', 31)).toMatchObject({ held: false, cap: { left: 30 } });
  await setCap(db, { period: 'total', limit: 101 });
  expect(await bench.hold('b', 31)).toMatchObject({ held: true });
});

test('a new time zone extends the current window, and earlier use stays in its window', async () => {
  const bench = await useLedger();
  await setCap(bench.database.kysely, { limit: 1_000_000 });
  await bench.clock.advance(22.5 * HOUR_MS);
  await bench.hold('a', 400_000);
  // In Kolkata, the next day began four hours ago. It ends at 18:30 UTC.
  await bench.setZone('Asia/Kolkata');
  expect(await bench.stand()).toEqual([600_000, Date.UTC(2026, 0, 2, 18, 30)]);
  await bench.clock.advance(2 * HOUR_MS);
  expect(await bench.left()).toBe(600_000);
  await bench.setZone(null);
  expect(await bench.stand()).toEqual([600_000, Date.UTC(2026, 0, 3)]);
  await bench.post('a', 450_000);
  expect(await bench.left()).toBe(550_000);
  await bench.clock.advance(23.5 * HOUR_MS);
  expect(await bench.stand()).toEqual([1_000_000, Date.UTC(2026, 0, 4)]);
});

test('a window that a change of zone extends is reported once for each part of a limit', async () => {
  const bench = await useLedger();
  await setCap(bench.database.kysely, { limit: 100 });
  await bench.clock.advance(HOUR_MS);
  await bench.hold('a', 50);
  for (const zone of ['America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', null]) {
    await bench.setZone(zone);
    await bench.hold(`after ${zone}`, 1);
  }
  expect(await alertsOf(bench)).toEqual([['guild', '', '', 50, 50]]);
  await bench.hold('b', 30);
  expect((await alertsOf(bench)).map(([, , , percent]) => percent)).toEqual([50, 80]);
});

test('caps are listed with their use: for a member those that apply, for admins all', async () => {
  const bench = await useLedger();
  const db = bench.database.kysely;
  await setCap(db, { kind: 'role', targetId: 'guests', limit: 100 });
  await setCap(db, { kind: 'role', targetId: 'others', limit: 100 });
  await setCap(db, { kind: 'member', targetId: 'ben', capability: 'lip_sync', limit: 50 });
  await bench.hold('a', 40, ADA);
  await bench.hold('b', 20, { userId: 'ben', capability: 'lip_sync' });

  const adas = await bench.ledger.views(db, 'guild', ADA);
  expect(adas.map(({ target, left }) => [target.kind, left])).toEqual(
    expect.arrayContaining([
      ['role', 60],
      ['default', 999_940],
    ]),
  );
  expect(adas).toHaveLength(2);
  expect(await bench.ledger.views(db, 'guild')).toMatchObject([{ target: { kind: 'default' } }]);
  const all = await bench.ledger.caps(db, 'guild', 10);
  expect(all.map(({ cap, view }) => [cap.target.kind, view?.left ?? null])).toEqual([
    ['member', 30],
    ['role', null],
    ['role', null],
    ['default', 999_940],
  ]);
});

test('an alert is stored once for each part of a limit, also for an overrun, and never for a limit of zero', async () => {
  const bench = await useLedger();
  const db = bench.database.kysely;
  await setCap(db, { limit: 100 });
  await setCap(db, { kind: 'member', targetId: 'ada', capability: 'lip_sync', limit: 0 });
  await setCap(db, { kind: 'role', targetId: 'guests', period: 'week', limit: 60 });
  await bench.hold('a', 49);
  expect(await alertsOf(bench)).toEqual([]);
  await bench.hold('b', 1);
  await bench.hold('refused', 51);
  expect(await alertsOf(bench)).toEqual([['guild', '', '', 50, 50]]);
  await bench.void('a');
  await bench.hold('c', 49, { ...ADA });
  expect(await alertsOf(bench)).toEqual([
    ['guild', '', '', 50, 50],
    ['role', 'guests', 'ada', 50, 49],
    ['role', 'guests', 'ada', 80, 49],
  ]);
  await bench.post('c', 120);
  expect((await alertsOf(bench)).filter(([kind]) => kind === 'guild')).toEqual([
    ['guild', '', '', 50, 50],
    ['guild', '', '', 80, 121],
    ['guild', '', '', 100, 121],
  ]);
  await bench.clock.advance(DAY_MS);
  await bench.hold('next day', 100);
  expect((await alertsOf(bench)).filter(([kind]) => kind === 'guild')).toHaveLength(6);
});

test('a later correction is linked to the entry that it corrects', async () => {
  const bench = await useLedger();
  await bench.hold('a', 100);
  await bench.resize('a', 120);
  await bench.post('a', 150);
  await bench.post('a', 110);
  const entries = await bench.database.kysely
    .selectFrom('ledger_entries')
    .select(['id', 'kind', 'corrects'])
    .orderBy('id')
    .execute();
  const ids = entries.map(({ id }) => id);
  expect(entries.map(({ kind, corrects }) => [kind, corrects && ids.indexOf(corrects)])).toEqual([
    ['hold', null],
    ['adjustment', 0],
    ['charge', null],
    ['overrun', null],
    ['adjustment', 3],
    ['adjustment', 3],
  ]);
});
