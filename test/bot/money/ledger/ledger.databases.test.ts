import { expect, test } from 'vitest';
import { findHold, listOpenHolds } from '../../../../db/queries/holds.ts';
import { listEntries } from '../../../db/list-entries.ts';
import { micros } from '../../../../src/base/money.ts';
import { aHold } from './a-hold.ts';
import { setCap, setZone } from '../caps/set-cap.ts';
import { useLedger } from './use-ledger.ts';

const DAY_MS = 86_400_000;

test('a hold counts against the budget at once, and its charge releases the rest', async () => {
  const bench = await useLedger();
  expect(await bench.hold('job', 1_000_000)).toEqual({
    held: true,
    amount: 1_000_000,
    budget: { limit: 1_000_000, left: 0, period: 'day', resetsAtMs: Date.UTC(2026, 0, 2) },
  });
  expect(await bench.post('job', 300_000)).toEqual({
    state: 'posted',
    held: 1_000_000,
    charged: 300_000,
    overrun: 0,
    change: 300_000,
  });
  expect(await bench.left()).toBe(700_000);
});

test('a hold that does not fit to the micro-dollar is refused and changes nothing', async () => {
  const bench = await useLedger();
  await bench.hold('first', 400_000);
  expect(await bench.hold('second', 600_001)).toMatchObject({
    held: false,
    needed: 600_001,
    cap: { left: 600_000 },
  });
  expect(await findHold(bench.database.kysely, 'second')).toBeUndefined();
  expect(await bench.hold('second', 600_000)).toMatchObject({ held: true, budget: { left: 0 } });
});

test('a charge above its hold is posted in full, recorded as overrun, and blocks new work', async () => {
  const bench = await useLedger();
  await bench.hold('job', 1_000_000);
  expect(await bench.post('job', 1_400_000)).toMatchObject({ charged: 1_400_000, overrun: 400_000 });
  expect(await bench.left()).toBe(0);
  expect(await bench.hold('next', 1)).toMatchObject({ held: false });
  const [window] = await bench.totals();
  expect(window?.stored).toMatchObject({
    posted: 1_400_000,
    pending: 0,
    overrun: 400_000,
  });
  expect(window?.summed).toMatchObject({
    budget: -1_000_000,
    pending: 0,
    spent: 1_400_000,
    overrun: -400_000,
  });
});

test('a void releases the whole hold, and so does a charge of zero', async () => {
  const bench = await useLedger();
  await bench.hold('failed', 500_000);
  await bench.hold('free', 500_000);
  expect(await bench.void('failed')).toMatchObject({ state: 'voided', charged: 0 });
  expect(await bench.post('free', 0)).toMatchObject({ state: 'posted', charged: 0 });
  expect(await bench.left()).toBe(1_000_000);
});

test('repeats return the same result and write nothing', async () => {
  const bench = await useLedger();
  const held = await bench.hold('job', 200_000);
  expect(await bench.hold('job', 999_999)).toEqual(held);
  const { change: _, ...posted } = await bench.post('job', 150_000);
  expect(await bench.post('job', 150_000)).toEqual({ ...posted, change: 0 });
  expect(await bench.void('job')).toEqual({ ...posted, change: 0 });
  expect(await bench.review('job')).toEqual({ ...posted, change: 0 });
  expect(await bench.hold('job', 200_000)).toMatchObject({ held: true, amount: 200_000 });
  const entries = await listEntries(bench.database.kysely, 'job');
  expect(entries.map((entry) => [entry.kind, entry.amount_micros])).toEqual([
    ['hold', 200_000],
    ['charge', 150_000],
    ['release', 50_000],
  ]);
});

test('a later different charge becomes an adjustment, never an edit', async () => {
  const bench = await useLedger();
  await bench.hold('job', 1_000_000);
  await bench.post('job', 300_000);
  const before = await listEntries(bench.database.kysely, 'job');
  await bench.clock.advance(1000);
  expect(await bench.post('job', 250_000)).toMatchObject({ charged: 250_000, change: -50_000 });
  expect(await bench.left()).toBe(750_000);
  const after = await listEntries(bench.database.kysely, 'job');
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toMatchObject([
    { kind: 'adjustment', debit_account: 'budget', credit_account: 'spent', amount_micros: 50_000 },
  ]);
});

test('a charge that was learned before the booked one changes nothing', async () => {
  const bench = await useLedger();
  await bench.hold('job', 1_000_000);
  await bench.post('job', 300_000, 1000);
  await bench.post('job', 250_000, 2000);
  await bench.post('job', 250_000, 4000);
  expect(await bench.post('job', 300_000, 3000)).toMatchObject({ charged: 250_000, change: 0 });
  expect(await bench.post('job', 260_000, 5000)).toMatchObject({ charged: 260_000, change: 10_000 });
});

test('an amount that a charge released may be in use, so a later increase is overrun and a decrease reduces the overrun first', async () => {
  const bench = await useLedger();
  await bench.hold('job', 1_000_000);
  await bench.post('job', 200_000);
  await bench.hold('other', 800_000);
  expect(await bench.post('job', 900_000)).toMatchObject({ charged: 900_000, overrun: 700_000 });
  expect(await bench.post('job', 100_000)).toMatchObject({ charged: 100_000, overrun: 0 });
  const [window] = await bench.totals();
  expect(window?.stored).toMatchObject({
    posted: 100_000,
    pending: 800_000,
    overrun: 0,
  });
});

test('a charge for a voided job is booked as an adjustment and the hold stays voided', async () => {
  const bench = await useLedger();
  await bench.hold('job', 500_000);
  await bench.void('job');
  expect(await bench.post('job', 0)).toMatchObject({ state: 'voided', change: 0 });
  expect(await bench.post('job', 40_000)).toMatchObject({
    state: 'voided',
    charged: 40_000,
    overrun: 40_000,
  });
  expect(await bench.left()).toBe(960_000);
});

test('a hold in review stays held until it is posted or voided', async () => {
  const bench = await useLedger();
  await bench.hold('job', 600_000);
  expect(await bench.review('job')).toMatchObject({ state: 'review', charged: 0 });
  expect(await bench.review('job')).toMatchObject({ state: 'review' });
  expect(await bench.left()).toBe(400_000);
  const open = { createdBeforeMs: bench.clock.now() + 1, limit: 10 };
  expect(await listOpenHolds(bench.database.kysely, open)).toMatchObject([{ subject: 'job' }]);
  expect(await bench.post('job', 100_000)).toMatchObject({ state: 'posted', charged: 100_000 });
  expect(await listOpenHolds(bench.database.kysely, open)).toEqual([]);
});

test('a charge belongs to the period of its hold', async () => {
  const bench = await useLedger();
  await bench.hold('job', 1_000_000);
  await bench.clock.advance(DAY_MS);
  expect(await bench.left()).toBe(1_000_000);
  await bench.post('job', 1_500_000);
  expect(await bench.left()).toBe(1_000_000);
  const [window] = await bench.totals();
  expect(window?.stored).toMatchObject({ posted: 1_500_000 });
});

test("a guild's own budget replaces the default for that guild alone", async () => {
  const bench = await useLedger();
  await setCap(bench.database.kysely, { period: 'month', limit: 5_000_000 });
  await setZone(bench.database.kysely, 'guild', 'Europe/Berlin');
  expect(await bench.ledger.budget(bench.database.kysely, 'guild')).toEqual({
    limit: 5_000_000,
    left: 5_000_000,
    period: 'month',
    resetsAtMs: Date.parse('2026-01-31T23:00Z'),
  });
  expect(await bench.hold('job', 4_000_000)).toMatchObject({ held: true });
  expect(await bench.hold('else', 4_000_000, { guildId: 'elsewhere' })).toMatchObject({ held: false });
});

test('a limit that is lowered below the used amount leaves zero, and never less', async () => {
  const bench = await useLedger();
  await bench.hold('job', 800_000);
  await setCap(bench.database.kysely, { limit: 100_000 });
  expect(await bench.left()).toBe(0);
  expect(await bench.post('job', 700_000)).toMatchObject({ overrun: 0 });
});

test('invalid amounts and unknown subjects are refused', async () => {
  const bench = await useLedger();
  await expect(bench.hold('job', 0)).rejects.toThrow(RangeError);
  await expect(bench.hold('job', -1)).rejects.toThrow(RangeError);
  await expect(bench.post('job', 1)).rejects.toMatchObject({ code: 'unknown_subject' });
  await expect(bench.void('job')).rejects.toMatchObject({ code: 'unknown_subject' });
  await bench.hold('job', 1);
  await expect(bench.post('job', -1)).rejects.toThrow(RangeError);
});

test('a hold of a failed transaction does not exist', async () => {
  const bench = await useLedger();
  const attempt = bench.database.transaction('guild:guild', async (trx) => {
    await bench.ledger.hold(trx, aHold('job', micros(900_000)));
    throw new Error('the job row was refused');
  });
  await expect(attempt).rejects.toThrow('the job row was refused');
  expect(await bench.left()).toBe(1_000_000);
  expect(await bench.totals()).toEqual([]);
});

test('a charge of more than twice its hold is kept for review until a correction reduces it', async () => {
  const bench = await useLedger();
  const watches = (): Promise<unknown[]> =>
    bench.database.kysely.selectFrom('overrun_watches').select(['subject', 'charged_micros']).execute();

  await bench.hold('job', 100_000);
  await bench.post('job', 200_000);
  expect(await watches()).toEqual([]);
  await bench.post('job', 200_001);
  expect(await watches()).toEqual([{ subject: 'job', charged_micros: 200_001 }]);
  await bench.hold('later', 100_000);
  await bench.post('later', 400_000);
  expect(await watches()).toHaveLength(2);
  await bench.post('job', 150_000);
  expect(await watches()).toEqual([{ subject: 'later', charged_micros: 400_000 }]);
});
