import { expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { Turn } from '../../../../src/bot/money/reconciliation/turn.ts';
import { useDatabase } from '../../../db/use-database.ts';

const LIMIT_MS = 1_000;
const INTERVAL_MS = 5_000;

async function useTurns(): Promise<{ readonly one: Turn; readonly other: Turn; readonly clock: FakeClock }> {
  const db = await useDatabase();
  const clock = new FakeClock();
  const of = (owner: string): Turn => new Turn({ db, clock, owner });
  return { one: of('one'), other: of('other'), clock };
}

const take = (turn: Turn, isEarly: boolean): Promise<number | 'taken'> =>
  turn.take(LIMIT_MS, { isEarly, intervalMs: INTERVAL_MS });

test.each([true, false])(
  'a turn that is taken belongs to nobody else until its time is up, early: %s',
  async (isEarly) => {
    const { one, other, clock } = await useTurns();
    expect(await take(one, isEarly)).toBe('taken');
    expect([await take(other, isEarly), await take(one, isEarly)]).toEqual([LIMIT_MS, LIMIT_MS]);
    await clock.advance(LIMIT_MS - 1);
    expect(await take(other, isEarly)).toBe(1);
    await clock.advance(1);
    expect(await take(other, isEarly)).toBe('taken');
  },
);

test('a turn that was given back can be taken early, or when it is due', async () => {
  const { one, other, clock } = await useTurns();
  await take(one, false);
  await one.giveBack(INTERVAL_MS);
  await clock.advance(INTERVAL_MS - 1);
  expect(await take(other, false)).toBe(1);
  expect(await take(other, true)).toBe('taken');
  await other.giveBack(INTERVAL_MS);
  await clock.advance(INTERVAL_MS);
  expect(await take(one, false)).toBe('taken');
});

test('a process that lost its turn gives nothing back', async () => {
  const { one, other, clock } = await useTurns();
  await take(one, false);
  await clock.advance(LIMIT_MS);
  await take(other, false);
  await one.giveBack(0);
  expect(await take(one, true)).toBe(LIMIT_MS);
});

test('a turn that was stored before the clock was set back blocks for at most one pause', async () => {
  const { one, other, clock } = await useTurns();
  await take(one, false);
  await one.giveBack(INTERVAL_MS);
  await clock.advance(-1);
  expect(await take(other, false)).toBe('taken');
  await other.giveBack(LIMIT_MS - 1);
  await clock.advance(-1);
  expect(await take(one, false)).toBe(LIMIT_MS);
});
