import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DOLLARS_MAX } from '../../../../src/base/read-dollars.ts';
import { micros } from '../../../../src/base/money.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import type { CapKey } from '../../../../src/bot/money/caps/cap.ts';
import { compareCaps } from '../../../../src/bot/money/caps/compare-caps.ts';
import { GuildBudgets } from '../../../../src/bot/money/budgets/guild-budgets.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aHold } from '../ledger/a-hold.ts';
import { aCap, useBudgets } from './use-budgets.ts';
import type { AdminCapKey } from '../../../../src/bot/money/budgets/admin-cap-key.ts';

const ADMIN = anOrigin({ isAdmin: true, userId: '50' });

const KEYS: readonly AdminCapKey[] = [
  { target: { kind: 'guild' }, capability: null, period: 'day' },
  { target: { kind: 'guild' }, capability: 'avatar', period: 'week' },
  { target: { kind: 'role', roleId: '22' }, capability: null, period: 'month' },
  { target: { kind: 'role', roleId: '22' }, capability: 'lip_sync', period: 'month' },
  { target: { kind: 'member', userId: '7' }, capability: 'lip_sync', period: 'total' },
  { target: { kind: 'member', userId: '8' }, capability: null, period: 'total' },
];

test('each cap is independent: it is set, shown, recorded and cleared without changing the others', async () => {
  const { budgets } = await useBudgets();
  for (const [index, key] of KEYS.entries()) {
    const { before, now, usual } = await budgets.set(ADMIN, { ...key, limit: micros(100 + index) });
    expect([before, now?.cap, usual]).toEqual([null, { ...key, limit: 100 + index }, null]);
    expect(now?.view === null).toBe(key.target.kind === 'role');
    expect(now?.resetsAtMs === null).toBe(key.period === 'total');
  }
  const { changes } = await budgets.history(ADMIN, 0);
  expect(changes.map(({ key, before, after }) => [key, before, after])).toEqual(
    KEYS.map((key, index) => [key, null, 100 + index]).toReversed(),
  );
  for (const [index, key] of KEYS.entries()) {
    expect(await budgets.set(ADMIN, { ...key, limit: micros(200) })).toMatchObject({ before: 100 + index });
    expect(await budgets.clear(ADMIN, key)).toMatchObject({ before: 200, now: null });
    const { guild, others } = await budgets.show(ADMIN);
    const left = [...guild.filter(({ target }) => target.kind === 'guild'), ...others];
    expect(left).toHaveLength(KEYS.length - 1 - index);
  }
});

test('a cap that is set again or cleared changes one row, and says who set it last and when', async () => {
  const { db, clock, budgets } = await useBudgets();
  const targets = [
    { kind: 'guild' },
    { kind: 'role', roleId: '7' },
    { kind: 'member', userId: '7' },
    { kind: 'member', userId: '8' },
  ] as const;
  const keys = targets.flatMap((target) =>
    [null, 'avatar' as const].flatMap((capability) =>
      (['day', 'total'] as const).map((period) => ({ target, capability, period })),
    ),
  );
  const stored = async (): Promise<Map<string, object>> => {
    const rows = await db.kysely.selectFrom('caps').selectAll().execute();
    return new Map(
      rows.map(({ guild_id, target_kind, target_id, capability, period, ...row }) => [
        [guild_id, target_kind, target_id, capability, period].join(' '),
        row,
      ]),
    );
  };
  const nameOf = (guildId: string, { target, capability, period }: CapKey): string => {
    const id = 'roleId' in target ? target.roleId : 'userId' in target ? target.userId : '';
    return [guildId, target.kind, id, capability ?? '', period].join(' ');
  };
  const expected = new Map<string, object>();
  const set = async (guildId: string, key: AdminCapKey, limit: number, userId: string): Promise<void> => {
    await budgets.set({ ...ADMIN, guildId, userId }, { ...key, limit: micros(limit) });
    const row = { limit_micros: limit, set_by: userId, set_at_ms: clock.now() };
    expected.set(nameOf(guildId, key), row);
  };
  for (const guildId of ['3', '4']) for (const key of keys) await set(guildId, key, 5, '50');
  expect(await stored()).toEqual(expected);
  for (const key of keys) {
    await clock.advance(1);
    await set('3', key, 6, '51');
    expect(await stored()).toEqual(expected);
    await budgets.clear(ADMIN, key);
    expected.delete(nameOf('3', key));
    expect(await stored()).toEqual(expected);
  }
  await budgets.allow('4', { limit: micros(1), period: 'day' }, '90');
  await budgets.allow('3', { limit: micros(2), period: 'day' }, '91');
  await budgets.allow('3', null, '91');
  expected.set(nameOf('4', { target: { kind: 'operator' }, capability: null, period: 'day' }), {
    limit_micros: 1,
    set_by: '90',
    set_at_ms: clock.now(),
  });
  expect(await stored()).toEqual(expected);
});

test('amounts from zero to the maximum are accepted', async () => {
  const { budgets } = await useBudgets();
  for (const limit of [micros(0), DOLLARS_MAX]) {
    expect((await budgets.set(ADMIN, aCap(limit))).now?.cap.limit).toBe(limit);
    expect((await budgets.change(ADMIN, { confirmAbove: limit })).confirmAbove).toBe(limit);
    await budgets.allow('3', { limit, period: 'total' }, '90');
    expect((await budgets.showGuild('3')).guild[0]?.limit).toBe(limit);
  }
});

test('the usual allowance limits admins until the operator sets another one', async () => {
  const { budgets } = await useBudgets({ limit: micros(500), period: 'week' });
  const weekly = (limit: number) => budgets.set(ADMIN, aCap(limit, { period: 'week' }));
  await weekly(500);
  await expect(weekly(501)).rejects.toMatchObject({ code: 'above_allowance' });
  await budgets.set(ADMIN, aCap(501, { period: 'month' }));
  await budgets.allow('3', { limit: micros(600), period: 'week' }, '90');
  await weekly(600);
  await expect(weekly(601)).rejects.toMatchObject({ code: 'above_allowance' });
  await budgets.allow('3', { limit: micros(1), period: 'day' }, '90');
  await weekly(9_999);
  expect((await budgets.showGuild('3')).guild.map(({ target, limit }) => [target.kind, limit])).toEqual([
    ['operator', 1],
    ['guild', 9_999],
    ['guild', 501],
  ]);
});

test('an allowance that is set to the same amount again is no change', async () => {
  const { budgets } = await useBudgets();
  for (const limit of [5, 5, 7]) await budgets.allow('3', { limit: micros(limit), period: 'day' }, '90');
  await budgets.allow('4', { limit: micros(1), period: 'day' }, '91');
  await budgets.allow('3', null, '92');
  const { changes } = await budgets.history(ADMIN, 0);
  expect(changes.map(({ before, after, byUserId }) => [before, after, byUserId])).toEqual([
    [7, null, '92'],
    [5, 7, '90'],
    [null, 5, '90'],
  ]);
});

test('the cap of a member whose data was removed is replaced, or cleared, under their own id', async () => {
  const { db, clock } = await useBudgets();
  const usual = { limit: micros(1e7), period: 'month', timeZone: 'UTC', allowance: null } as const;
  const pseudonymOf = (id: string): string => `gone_${id}`;
  const ledger = new Ledger({ clock, defaultBudget: usual, pseudonymOf });
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const budgets = new GuildBudgets({ db, clock, ledger, rules, usual, pseudonymOf });
  const of = (userId: string, limit = 0) => aCap(limit, { target: { kind: 'member', userId } });
  const stored = async (): Promise<unknown[]> => {
    const rows = await db.kysely.selectFrom('caps').selectAll().orderBy('target_id').execute();
    return rows.map((row) => [row.target_id, row.limit_micros]);
  };
  for (const id of ['7', '8', '9']) await budgets.set(ADMIN, of(`gone_${id}`, 5));
  expect(await budgets.set(ADMIN, of('7', 6))).toMatchObject({ before: 5, now: { cap: { limit: 6 } } });
  expect(await budgets.clear(ADMIN, of('8'))).toMatchObject({ before: 5, now: null });
  expect(await stored()).toEqual([
    ['7', 6],
    ['gone_9', 5],
  ]);
});

test('settings that are not given stay, and a voice session continues only if the guild wants it', async () => {
  const { db, clock } = await useBudgets();
  const rules = new BudgetRules({ db, clock, timeZone: 'Europe/Paris' });
  const guildId = ADMIN.guildId;
  expect([await rules.renewsVoice(guildId), (await rules.settings(db.kysely, guildId)).timeZone]).toEqual([
    false,
    'Europe/Paris',
  ]);
  await rules.change(ADMIN, { voiceRenewal: true, alertsChannelId: '40', confirmAbove: micros(7) });
  expect([await rules.renewsVoice(guildId), await rules.renewsVoice('4')]).toEqual([true, false]);
  expect(await rules.change(ADMIN, { alertsChannelId: null })).toMatchObject({
    voiceRenewal: true,
    alertsChannelId: null,
    confirmAbove: 7,
  });
  await rules.change(ADMIN, { voiceRenewal: false });
  expect(await rules.renewsVoice(guildId)).toBe(false);
});

test('a refusal names the managing roles, and one such role is enough', async () => {
  const { budgets } = await useBudgets();
  for (const role of ['21', '22', '23']) await budgets.addManager(ADMIN, role);
  const refused = { code: 'not_manager', userMessage: expect.stringContaining('<@&21>, <@&22>, <@&23>') };
  await expect(budgets.history(anOrigin({ roleIds: ['24'] }), 0)).rejects.toMatchObject(refused);
  await budgets.history(anOrigin({ roleIds: ['24', '23'] }), 0);
  expect((await budgets.removeManager(ADMIN, '22')).managerRoleIds).toEqual(['21', '23']);
  await expect(budgets.history(anOrigin({ roleIds: ['22'] }), 0)).rejects.toMatchObject({
    code: 'not_manager',
  });
});

test('caps are shown in one order, however they are found', () => {
  const key = (kind: CapKey['target']['kind'], id: string, rest: Omit<CapKey, 'target'>): CapKey => ({
    target: kind === 'role' ? { kind, roleId: id } : kind === 'member' ? { kind, userId: id } : { kind },
    ...rest,
  });
  const sorted = (['operator', 'guild', 'default', 'role', 'member'] as const).flatMap((kind) =>
    (kind === 'role' || kind === 'member' ? ['1', '2'] : ['']).flatMap((id) =>
      [null, 'avatar', 'lip_sync'].flatMap((capability) =>
        (['day', 'week', 'month', 'total'] as const).map((period) => key(kind, id, { capability, period })),
      ),
    ),
  );
  fc.assert(
    fc.property(fc.shuffledSubarray(sorted, { minLength: sorted.length }), (some) => {
      expect(some.toSorted(compareCaps)).toEqual(sorted);
    }),
    { numRuns: 10 },
  );
});

test("the use of a role's cap is shown only to the member concerned", async () => {
  const { db, ledger, budgets } = await useBudgets();
  const member = anOrigin({ userId: '7', roleIds: ['22'] });
  await budgets.set(ADMIN, aCap(300, { target: { kind: 'role', roleId: '22' } }));
  await db.transaction(`guild:${ADMIN.guildId}`, (trx) =>
    ledger.hold(trx, { ...aHold('a', micros(200)), ...member }),
  );
  expect((await budgets.show(member)).own).toMatchObject([{ limit: 300, pending: 200, left: 100 }]);
  expect((await budgets.show(anOrigin({ userId: '8', roleIds: ['22'] }))).own).toMatchObject([{ left: 300 }]);
  expect((await budgets.show(ADMIN)).others).toMatchObject([{ view: null }]);
});
