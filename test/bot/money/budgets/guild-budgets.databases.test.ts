import { describe, expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aCap, useBudgets } from './use-budgets.ts';

const ADMIN = anOrigin({ isAdmin: true, userId: '50' });
const TREASURER = anOrigin({ userId: '60', roleIds: ['3', '21'] });
const MEMBER = anOrigin({ roleIds: ['3', '22'] });
const ROLE = { kind: 'role', roleId: '22' } as const;

describe('caps of a guild', () => {
  test('are set, changed and cleared, and each change is recorded once', async () => {
    const { budgets, clock } = await useBudgets();

    const first = await budgets.set(ADMIN, aCap(300_000));
    await clock.advance(1_000);
    const second = await budgets.set(ADMIN, aCap(500_000));
    await budgets.set(ADMIN, aCap(500_000));
    const cleared = await budgets.clear(ADMIN, aCap(0));
    await budgets.clear(ADMIN, aCap(0));

    expect([first.before, second.before, cleared.before]).toEqual([null, 300_000, 500_000]);
    expect(cleared.now).toBeNull();
    const { changes } = await budgets.history(ADMIN, 0);
    expect(changes.map(({ before, after, byUserId }) => [before, after, byUserId])).toEqual([
      [500_000, null, '50'],
      [300_000, 500_000, '50'],
      [null, 300_000, '50'],
    ]);
    expect(changes.map(({ atMs }) => atMs - (changes[2]?.atMs ?? 0))).toEqual([1_000, 1_000, 0]);
  });

  test('replace the default only if they limit everything, until they are cleared', async () => {
    const { budgets } = await useBudgets();

    const forOne = await budgets.set(ADMIN, aCap(300_000, { capability: 'avatar' }));
    const forAll = await budgets.set(ADMIN, aCap(300_000, { period: 'total' }));
    const weekly = await budgets.set(ADMIN, aCap(300_000, { period: 'week' }));
    const stillOne = await budgets.clear(ADMIN, aCap(0, { period: 'total' }));
    const none = await budgets.clear(ADMIN, aCap(0, { period: 'week' }));

    expect([forOne.replaced, weekly.replaced]).toEqual([null, null]);
    expect(forAll.replaced?.limit).toBe(10_000_000);
    expect([forAll.usual, stillOne.usual]).toEqual([null, null]);
    expect(none.usual?.cap).toMatchObject({ target: { kind: 'default' }, period: 'month' });
  });

  test('are limited in number', async () => {
    const { budgets } = await useBudgets();
    for (let n = 0; n < 100; n += 1) {
      await budgets.set(ADMIN, aCap(1, { target: { kind: 'member', userId: String(1_000 + n) } }));
    }

    await expect(budgets.set(ADMIN, aCap(1))).rejects.toMatchObject({ code: 'too_many' });
    await budgets.set(ADMIN, aCap(2, { target: { kind: 'member', userId: '1000' } }));
    await budgets.allow('3', { limit: micros(5), period: 'week' }, '90');
    await budgets.clear(ADMIN, aCap(0, { target: { kind: 'member', userId: '1000' } }));
    await budgets.set(ADMIN, aCap(1));
    expect((await budgets.show(ADMIN)).others).toHaveLength(99);
  });

  test.each([-1, 1_000_000_000_001])('reject an amount of %i', async (limit) => {
    const { budgets } = await useBudgets();

    await expect(budgets.set(ADMIN, aCap(limit))).rejects.toMatchObject({ code: 'out_of_range' });
    await expect(budgets.allow('3', { limit: micros(limit), period: 'day' }, '90')).rejects.toMatchObject({
      code: 'out_of_range',
    });
    await expect(budgets.change(ADMIN, { confirmAbove: micros(limit) })).rejects.toMatchObject({
      code: 'out_of_range',
    });
  });

  test('are shown in one order, whatever order they were set in', async () => {
    const { budgets } = await useBudgets();
    await budgets.allow('3', { limit: micros(9_000_000), period: 'total' }, '90');
    for (const period of ['total', 'month', 'week', 'day'] as const) {
      await budgets.set(ADMIN, aCap(2, { period, capability: 'avatar' }));
      await budgets.set(ADMIN, aCap(1, { period }));
    }

    const { guild } = await budgets.show(ADMIN);

    expect(guild.map(({ limit, period }) => [limit, period])).toEqual([
      [9_000_000, 'total'],
      ...['day', 'week', 'month', 'total'].map((period) => [1, period]),
      ...['day', 'week', 'month', 'total'].map((period) => [2, period]),
    ]);
  });

  test('stay within their guild', async () => {
    const { budgets } = await useBudgets();
    const elsewhere = anOrigin({ isAdmin: true, guildId: '4' });

    await budgets.set(ADMIN, aCap(300_000));

    expect((await budgets.show(elsewhere)).guild.map(({ target }) => target.kind)).toEqual(['default']);
    expect((await budgets.history(elsewhere, 0)).changes).toEqual([]);
  });
});

describe('the permission to change budgets', () => {
  test('is checked here, whatever Discord allows', async () => {
    const { budgets } = await useBudgets();
    await budgets.addManager(ADMIN, '21');

    for (const attempt of [
      () => budgets.set(MEMBER, aCap(1)),
      () => budgets.clear(MEMBER, aCap(0)),
      () => budgets.history(MEMBER, 0),
      () => budgets.change(MEMBER, { timeZone: 'UTC' }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'not_manager',
        userMessage: expect.stringContaining('<@&21>'),
      });
    }
  });

  test('lets managers do everything except choose other managers', async () => {
    const { budgets } = await useBudgets();
    await expect(budgets.set(TREASURER, aCap(1))).rejects.toMatchObject({ code: 'not_manager' });

    await budgets.addManager(ADMIN, '21');
    await budgets.set(TREASURER, aCap(1));
    await budgets.change(TREASURER, { timeZone: 'Asia/Tokyo' });

    for (const attempt of [
      () => budgets.addManager(TREASURER, '22'),
      () => budgets.removeManager(TREASURER, '21'),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_admin' });
    }
    await budgets.removeManager(ADMIN, '21');
    await expect(budgets.set(TREASURER, aCap(2))).rejects.toMatchObject({ code: 'not_manager' });
  });

  test('never makes everyone a manager, nor more roles than allowed', async () => {
    const { budgets } = await useBudgets();

    await expect(budgets.addManager(ADMIN, ADMIN.guildId)).rejects.toMatchObject({ code: 'everybody' });
    for (let n = 0; n < 20; n += 1) await budgets.addManager(ADMIN, String(1_000 + n));
    await budgets.addManager(ADMIN, '1000');
    await expect(budgets.addManager(ADMIN, '2000')).rejects.toMatchObject({ code: 'too_many' });
  });

  test('shows members what applies to them, and managers everything', async () => {
    const { budgets } = await useBudgets();
    await budgets.set(ADMIN, aCap(300_000));
    await budgets.set(ADMIN, aCap(200_000, { target: ROLE }));
    await budgets.set(ADMIN, aCap(100_000, { target: { kind: 'role', roleId: '23' } }));
    await budgets.set(ADMIN, aCap(90_000, { target: { kind: 'member', userId: '5' } }));
    await budgets.set(ADMIN, aCap(80_000, { target: { kind: 'member', userId: '6' } }));

    const member = await budgets.show(MEMBER);
    const admin = await budgets.show(ADMIN);

    expect(member.isManager).toBe(false);
    expect(member.guild.map(({ limit }) => limit)).toEqual([300_000]);
    expect(member.own.map(({ limit }) => limit)).toEqual([200_000, 90_000]);
    expect(member.others).toEqual([]);
    expect(admin.isManager).toBe(true);
    expect(admin.own).toEqual([]);
    expect(admin.others.map(({ cap, view }) => [cap.limit, view === null])).toEqual([
      [200_000, true],
      [100_000, true],
      [90_000, false],
      [80_000, false],
    ]);
  });
});

describe('the allowance of the operator', () => {
  test('limits what admins can set for the same period, for any target', async () => {
    const { budgets } = await useBudgets();
    await budgets.allow('3', { limit: micros(300_000), period: 'day' }, '90');

    await budgets.set(ADMIN, aCap(300_000));
    await budgets.set(ADMIN, aCap(9_000_000, { period: 'month' }));
    for (const cap of [aCap(300_001), aCap(300_001, { target: ROLE, capability: 'avatar' })]) {
      await expect(budgets.set(ADMIN, cap)).rejects.toMatchObject({
        code: 'above_allowance',
        userMessage: expect.stringContaining('at most **$0.30** a day'),
      });
    }
  });

  test('is set for each guild, and its removal restores the usual one', async () => {
    const { budgets } = await useBudgets({ limit: micros(50_000_000), period: 'month' });
    const operators = async (): Promise<unknown[]> =>
      (await budgets.showGuild('3')).guild
        .filter(({ target }) => target.kind === 'operator')
        .map(({ limit, period }) => [limit, period]);
    expect(await operators()).toEqual([[50_000_000, 'month']]);

    await budgets.allow('3', { limit: micros(300_000), period: 'day' }, '90');
    await budgets.allow('3', { limit: micros(400_000), period: 'week' }, '90');
    const own = await operators();
    await budgets.allow('3', null, '90');

    expect(own).toEqual([[400_000, 'week']]);
    expect(await operators()).toEqual([[50_000_000, 'month']]);
    const { changes } = await budgets.history(ADMIN, 0);
    expect(changes.map(({ key, before, after }) => [key.target.kind, before, after])).toEqual([
      ['operator', 400_000, null],
      ['operator', null, 400_000],
      ['operator', 300_000, null],
      ['operator', null, 300_000],
    ]);
  });
});

describe('settings', () => {
  test('say when the current periods end that a change of the time zone extended, until they have ended', async () => {
    const { budgets, clock } = await useBudgets();
    await clock.advance(Date.parse('2026-11-23T10:30:00Z') - clock.now());

    // At noon in UTC, the next day has already begun in Kiritimati, but not in Los Angeles.
    await budgets.change(ADMIN, { timeZone: 'America/Los_Angeles' });
    const { lengthened } = await budgets.change(ADMIN, { timeZone: 'Pacific/Kiritimati' });

    expect(lengthened.map(({ period, resetsAtMs }) => [period, new Date(resetsAtMs).toISOString()])).toEqual([
      ['week', '2026-11-30T08:00:00.000Z'],
      ['month', '2026-12-01T08:00:00.000Z'],
    ]);
    const set = await budgets.set(ADMIN, aCap(1_000_000, { period: 'month' }));
    const endsAtMs = Date.parse('2026-12-01T08:00:00Z');
    expect(set.now?.resetsAtMs).toBe(endsAtMs);
    await clock.advance(endsAtMs - clock.now());
    expect((await budgets.show(ADMIN)).settings.lengthened).toEqual([]);
  });

  test('change only the given values, until they are reset', async () => {
    const { budgets } = await useBudgets();

    await budgets.change(ADMIN, { timeZone: 'europe/berlin', alertsChannelId: '40' });
    const both = await budgets.change(ADMIN, { confirmAbove: micros(0), voiceRenewal: true });
    const back = await budgets.change(ADMIN, { timeZone: null, confirmAbove: null, voiceRenewal: null });

    expect(both).toEqual({
      timeZone: 'Europe/Berlin',
      lengthened: expect.any(Array),
      operatorTimeZone: 'UTC',
      confirmAbove: 0,
      alertsChannelId: '40',
      voiceRenewal: true,
      managerRoleIds: [],
    });
    expect(back).toEqual({
      timeZone: 'UTC',
      lengthened: [],
      operatorTimeZone: 'UTC',
      confirmAbove: null,
      alertsChannelId: '40',
      voiceRenewal: false,
      managerRoleIds: [],
    });
  });

  test.each(['+05:17', 'Mars/Base', '', "'; drop table caps", 'x'.repeat(6_000)])(
    'reject an invalid zone: %.20j',
    async (timeZone) => {
      const { budgets } = await useBudgets();

      await expect(budgets.change(ADMIN, { timeZone })).rejects.toMatchObject({ code: 'unknown_zone' });
    },
  );
});

test('returns the pages of the history for any page number', async () => {
  const { budgets } = await useBudgets();
  for (let n = 1; n <= 21; n += 1) await budgets.set(ADMIN, aCap(n));

  const pages = await Promise.all([0, 1, 2, 3].map((page) => budgets.history(ADMIN, page)));

  expect(pages.map(({ changes, hasMore }) => [changes.length, hasMore])).toEqual([
    [10, true],
    [10, true],
    [1, false],
    [0, false],
  ]);
  expect((await budgets.history(ADMIN, -5)).page).toBe(0);
  expect((await budgets.history(ADMIN, Number.NaN)).page).toBe(0);
});
