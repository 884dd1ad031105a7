import { expect, test } from 'vitest';
import {
  type SpendScope,
  firstSpendingMs,
  listHoldsWithin,
  sumByCapability,
  sumByMember,
} from '../../../../db/queries/spend-reports.ts';
import { useQueryPlans } from '../../../db/use-query-plans.ts';

const ALL: SpendScope = { guildId: 'g', userId: null, capability: null, fromMs: 0, toMs: 1 };
const MEMBER: SpendScope = { ...ALL, userId: '1' };

test('reports read only the part of an index that they need', async () => {
  const plans = await useQueryPlans();
  const stepsOf = async (...args: Parameters<typeof plans.of>): Promise<string[]> =>
    (await plans.of(...args)).filter((step) => /^ {2}(SCAN|SEARCH)/.test(step));
  const slots = expect.stringMatching(/SEARCH spending USING PRIMARY KEY \(guild_id=\? AND slot_ms>\?/);
  const holds = expect.stringMatching(/SEARCH holds USING INDEX holds_by_slot \(guild_id=\? AND slot_ms>\?/);

  expect(await stepsOf((trx) => sumByCapability(trx, ALL))).toEqual([slots]);
  expect(await stepsOf((trx) => sumByMember(trx, ALL, 10))).toEqual([slots]);
  expect(await stepsOf((trx) => sumByCapability(trx, MEMBER))).toEqual([
    expect.stringMatching(
      /SEARCH spending USING INDEX spending_by_(member|user) \(\w+=\? AND \w+=\? AND slot_ms>\?/,
    ),
  ]);
  expect(await stepsOf((trx) => firstSpendingMs(trx, ALL))).toEqual([
    expect.stringMatching(/SEARCH spending USING PRIMARY KEY \(guild_id=\?\)/),
  ]);
  expect(await stepsOf((trx) => firstSpendingMs(trx, MEMBER))).toEqual([
    expect.stringMatching(
      /SEARCH spending USING (COVERING )?INDEX spending_by_(member|user) \(\w+=\? AND \w+=\?\)/,
    ),
  ]);
  expect(await stepsOf((trx) => listHoldsWithin(trx, ALL, { after: undefined, limit: 10 }))).toEqual([holds]);
});
