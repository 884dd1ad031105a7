import { expect, test } from 'vitest';
import { putGoneMember } from '../../../../db/queries/gone-members.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { type HoldOutcome, Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { DOLLAR_A_DAY, aHold } from './a-hold.ts';
import { setCap } from '../caps/set-cap.ts';

const nameOf = (userId: string): string => `gone_${userId}`;

/** Creates a ledger in which members may be recorded under their pseudonyms, because their data was removed. */
async function useNames() {
  const db = await useDatabase();
  const clock = new FakeClock();
  const ledger = new Ledger({ clock, defaultBudget: DOLLAR_A_DAY, pseudonymOf: nameOf });
  const { kysely } = db;
  const hold = (subject: string, userId: string, amount: number, guildId = 'guild'): Promise<HoldOutcome> =>
    db.transaction(`guild:${guildId}`, (trx) =>
      ledger.hold(trx, { ...aHold(subject, micros(amount)), userId, guildId, roleIds: ['artists'] }),
    );
  const post = (subject: string, charged: number) =>
    db.transaction('guild:guild', (trx) => ledger.post(trx, { subject, charged: micros(charged) }));
  /** Renames a member to their pseudonym in the guild's books, as the removal of their data does. */
  const goes = async (userId: string, guildId = 'guild'): Promise<void> => {
    const pseudonym = nameOf(userId);
    await db.transaction(`guild:${guildId}`, (trx) =>
      putGoneMember(trx, { guild_id: guildId, pseudonym, due_at_ms: 9e15 }),
    );
    const caps = kysely.updateTable('caps').set({ target_id: pseudonym }).where('target_id', '=', userId);
    await caps.where('guild_id', '=', guildId).execute();
    for (const table of ['holds', 'spending', 'overrun_watches'] as const) {
      const rows = kysely.updateTable(table).set({ user_id: pseudonym }).where('guild_id', '=', guildId);
      await rows.where('user_id', '=', userId).execute();
    }
    await kysely.deleteFrom('meters').where('user_id', '=', userId).execute();
  };
  const left = async (userId: string): Promise<Readonly<Record<string, number>>> => {
    const views = await ledger.views(kysely, 'guild', { userId, roleIds: ['artists'] });
    return Object.fromEntries(views.map((view) => [view.target.kind, view.left]));
  };
  return { db, kysely, ledger, hold, post, goes, left };
}

test('a member who returns is limited by their earlier use, and nobody else is', async () => {
  const { kysely, hold, post, goes, left } = await useNames();
  await setCap(kysely, { kind: 'member', targetId: 'ada', limit: 100 });
  await setCap(kysely, { kind: 'role', targetId: 'artists', limit: 200 });
  await hold('a', 'ada', 60);
  await post('a', 50);
  await hold('b', 'ada', 20);
  await goes('ada');
  expect(await left('ada')).toEqual({ default: 999_930, member: 30, role: 130 });
  expect(await left('ben')).toEqual({ default: 999_930, role: 200 });
  expect(await hold('c', 'ada', 31)).toMatchObject({
    held: false,
    cap: { target: { kind: 'member', userId: 'ada' }, posted: 50, pending: 20, left: 30 },
  });
  expect(await hold('c', 'ada', 30)).toMatchObject({ held: true });
  expect(await left('ada')).toEqual({ default: 999_900, member: 0, role: 100 });
  expect(await hold('d', 'ben', 200)).toMatchObject({ held: true });
  // The charge for a hold from before the removal counts towards the same limits as later holds.
  await post('b', 5);
  expect(await left('ada')).toEqual({ default: 999_715, member: 15, role: 115 });
  expect(await hold('e', 'ada', 16)).toMatchObject({ held: false });
  const wrong: unknown[] = [];
  await verifyLedger(kysely, (difference) => wrong.push(difference));
  expect(wrong).toEqual([]);
});

test('a member’s earlier use counts only in the guild in which their data was removed', async () => {
  const { kysely, hold, post, goes } = await useNames();
  await setCap(kysely, { kind: 'role', targetId: 'artists', limit: 100 });
  await setCap(kysely, { guildId: 'away', kind: 'role', targetId: 'artists', limit: 100 });
  await hold('a', 'ada', 70);
  await hold('b', 'ada', 20, 'away');
  await goes('ada');
  expect(await hold('c', 'ada', 31)).toMatchObject({ held: false });
  expect(await hold('d', 'ada', 80, 'away')).toMatchObject({ held: true });
  // Alerts name the member, so a pseudonym causes no alert.
  const alerts = (): Promise<object[]> =>
    kysely.selectFrom('budget_alerts').select('id').where('target_kind', '=', 'role').execute();
  const before = await alerts();
  await post('a', 99);
  expect(await alerts()).toEqual(before);
});

test('a charge far above its hold waits for a review under both names of its member, in its guild alone', async () => {
  const { db, kysely, ledger, hold, post, goes } = await useNames();
  await hold('a', 'ada', 10);
  await post('a', 30);
  await hold('b', 'ben', 10);
  await post('b', 40);
  const found = async (userId: string, guildId = 'guild') =>
    (await ledger.watches.find(kysely, { guildId, userId }))?.subject;
  expect([await found('ada'), await found('ben'), await found('eve')]).toEqual(['a', 'b', undefined]);
  expect(await found('ada', 'away')).toBeUndefined();
  await goes('ada');
  expect([await found('ada'), await found('gone_ada'), await found('ben')]).toEqual(['a', 'a', 'b']);
  const clear = (userId: string, guildId = 'guild'): Promise<boolean> =>
    db.transaction(`guild:${guildId}`, (trx) => ledger.watches.clear(trx, { guildId, userId }));
  expect([await clear('eve'), await clear('ada', 'away')]).toEqual([false, false]);
  expect([await clear('ada'), await clear('ada')]).toEqual([true, false]);
  expect([await found('gone_ada'), await found('ben')]).toEqual([undefined, 'b']);
});

test('a charge that can no longer be matched with a member needs no review', async () => {
  const { kysely, ledger, hold, post } = await useNames();
  await hold('a', 'gone_nobody', 10);
  await post('a', 30);
  expect(await ledger.watches.find(kysely, { guildId: 'guild', userId: 'gone_nobody' })).toBeUndefined();
});
