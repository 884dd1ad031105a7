import { expect, test } from 'vitest';
import { putBudgetManager } from '../../../../db/queries/budget-settings.ts';
import { setCap } from '../caps/set-cap.ts';
import { ADMIN, useDesk } from './use-desk.ts';
import type { SpendQuery, SpendViewer } from '../../../../src/bot/money/spend/spend-query.ts';

const NOON_MS = Date.parse('2026-11-10T12:00:00Z');
const DAY_MS = 86_400_000;
const MANAGER: SpendViewer = { guildId: 'guild', userId: '2', roleIds: ['21'], isAdmin: false };
const MEMBER: SpendViewer = { guildId: 'guild', userId: '3', roleIds: ['22'], isAdmin: false };

const REFUSED = { userMessage: expect.stringContaining('shown only to those who manage') };

/** Creates members 1 to 3, each of whom spent on two capabilities today and yesterday. */
async function useMembers() {
  const desk = await useDesk('UTC');
  const { kysely } = desk.bench.database;
  await desk.bench.database.transaction('guild:guild', (trx) => putBudgetManager(trx, 'guild', '21'));
  for (const [day, times] of [
    [1, 10],
    [0, 1],
  ] as const) {
    for (const who of [1, 2, 3]) {
      await desk.spend(NOON_MS - day * DAY_MS, times * who * 1_000, String(who), 'avatar');
      await desk.spend(NOON_MS - day * DAY_MS, times * who * 10, String(who), 'lip_sync');
    }
  }
  await setCap(kysely, { limit: 9e6 });
  await setCap(kysely, { kind: 'operator', period: 'month', limit: 8e6 });
  await setCap(kysely, { capability: 'avatar', limit: 7e6 });
  await setCap(kysely, { kind: 'role', targetId: '22', limit: 6e6 });
  await setCap(kysely, { kind: 'role', targetId: '21', limit: 5e6 });
  await setCap(kysely, { kind: 'member', targetId: '3', capability: 'lip_sync', limit: 4e6 });
  return desk;
}

const OWN = { used: 3_030, caps: [4e6, 6e6] };
const ALL = { used: 6_060, caps: [7e6, 8e6, 9e6] };

/** The viewer, the requested report, and what it shows. */
const ROWS: readonly (readonly [string, SpendViewer, SpendQuery, object])[] = [
  ['an admin sees all', ADMIN, { period: 'day' }, { userId: null, ...ALL }],
  ['a manager sees all', MANAGER, { period: 'day' }, { userId: null, ...ALL }],
  ['a member sees their own', MEMBER, { period: 'day' }, { userId: '3', ...OWN }],
  ['a member sees their own', MEMBER, { period: 'day', memberId: '3' }, { userId: '3', ...OWN }],
  // The chat does not inform the bot about the roles of other members.
  ['an admin sees a member’s', ADMIN, { period: 'day', memberId: '3' }, { userId: '3', ...OWN, caps: [4e6] }],
  [
    'a manager sees their own',
    MANAGER,
    { period: 'day', memberId: '2' },
    { userId: '2', used: 2_020, caps: [5e6] },
  ],
  [
    'a manager sees one capability',
    MANAGER,
    { period: 'day', capability: 'lip_sync' },
    { userId: null, used: 60, caps: [8e6, 9e6] },
  ],
  [
    'a member sees one capability',
    MEMBER,
    { period: 'day', capability: 'avatar' },
    { userId: '3', used: 3_000, caps: [6e6] },
  ],
  ['the last day is another', MANAGER, { period: 'last_day' }, { userId: null, ...ALL, used: 60_600 }],
  ['the month has both', MEMBER, { period: 'month' }, { userId: '3', ...OWN, used: 33_330 }],
  ['all time has both', MANAGER, { period: 'total' }, { userId: null, ...ALL, used: 66_660 }],
];

test('shows what a viewer may see, for the requested member and capability', async () => {
  const { report } = await useMembers();
  for (const [name, viewer, query, expected] of ROWS) {
    const { userId, total, caps, isNew, topMembers } = await report(query, viewer);
    // A charge may be slightly higher than its hold; that overrun is subtracted here.
    const used = total.posted + total.pending - total.overrun;
    const limits = caps.map(({ limit }) => limit).toSorted((a, b) => a - b);
    expect({ name, userId, used, caps: limits }).toEqual({ name, ...expected });
    expect(isNew).toBe(false);
    expect(topMembers.map((one) => one.userId)).toEqual(userId === null ? ['3', '2', '1'] : []);
  }
});

const ROLES_OF: Readonly<Record<string, string>> = { '1': '22', '2': '21', '3': '22', '9': '23' };
/** Each budget's limit, and the member or role that it applies to. */
const LIMITS: readonly (readonly [limit: number, userId: string | null, roleId: string | null])[] = [
  [4e6, '3', null],
  [5e6, null, '21'],
  [6e6, null, '22'],
  [7e6, null, null],
  [8e6, null, null],
  [9e6, null, null],
];

test('a report about a member shows the budgets of that member, and budgets of roles only in a viewer’s own report', async () => {
  const { report } = await useMembers();
  for (const [userId, roleId] of Object.entries(ROLES_OF)) {
    for (const isAdmin of [true, false]) {
      const viewer: SpendViewer = { guildId: 'guild', userId, roleIds: [roleId], isAdmin };
      for (const memberId of [undefined, ...Object.keys(ROLES_OF)]) {
        const asked = report({ period: 'day', ...(memberId === undefined ? {} : { memberId }) }, viewer);
        const isManager = isAdmin || roleId === '21';
        if (memberId !== undefined && memberId !== userId && !isManager) {
          await expect(asked).rejects.toMatchObject(REFUSED);
          continue;
        }
        const whose = memberId ?? (isManager ? null : userId);
        const roleIds = whose === userId ? [roleId] : [];
        const expected = LIMITS.filter(([, member, role]) => {
          if (whose === null) return member === null && role === null;
          return member === whose || (role !== null && roleIds.includes(role));
        });
        const { userId: shown, caps } = await asked;
        expect(shown).toBe(whose);
        expect(
          caps.map(({ limit }) => limit).toSorted((a, b) => a - b),
          `${userId} sees ${memberId}`,
        ).toEqual(expected.map(([limit]) => limit));
      }
    }
  }
});

test('members see nobody else’s spending in any form', async () => {
  const { desk } = await useMembers();
  for (const memberId of ['1', '2']) {
    const query = { period: 'total', memberId } as const;
    await expect(desk.report(MEMBER, query)).rejects.toMatchObject(REFUSED);
    await expect(desk.export(MEMBER, query, 1e6)).rejects.toMatchObject(REFUSED);
  }
});

test('an export has the scope of the report, and is cut if it would be too large', async () => {
  const { desk } = await useMembers();
  const of = async (viewer: SpendViewer, query: SpendQuery, bytesMax = 1e6) => {
    const { csv, rows, isCut, userId } = await desk.export(viewer, query, bytesMax);
    expect(csv.split('\r\n')).toHaveLength(rows + 2);
    expect(Buffer.byteLength(csv)).toBeLessThanOrEqual(bytesMax);
    return { csv, rows, isCut, userId };
  };
  const whole = await of(MANAGER, { period: 'total' });
  expect(whole).toMatchObject({ rows: 12, isCut: false, userId: null });
  expect(await of(MANAGER, { period: 'day' })).toMatchObject({ rows: 6 });
  expect(await of(MANAGER, { period: 'day', capability: 'avatar' })).toMatchObject({ rows: 3 });
  expect(await of(MANAGER, { period: 'day', memberId: '3' })).toMatchObject({ rows: 2, userId: '3' });
  expect(await of(MEMBER, { period: 'total' })).toMatchObject({ rows: 4, userId: '3' });
  const size = Buffer.byteLength(whole.csv);
  expect(await of(MANAGER, { period: 'total' }, size)).toMatchObject({ rows: 12, isCut: false });
  expect(await of(MANAGER, { period: 'total' }, size - 1)).toMatchObject({ rows: 11, isCut: true });
});

test('a member who never spent anything is new, even if others did', async () => {
  const { report } = await useMembers();
  const nobody = { ...MEMBER, userId: '9' };
  expect(await report({ period: 'total' }, nobody)).toMatchObject({ isNew: true, total: { posted: 0 } });
  expect(await report({ period: 'last_month' }, MEMBER)).toMatchObject({
    isNew: false,
    total: { posted: 0 },
  });
});
