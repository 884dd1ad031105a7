import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../db/database.ts';
import { databaseUrlIn } from '../../../db/database-url.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { PrivacyDesk } from '../../../../src/bot/people/members/privacy-desk.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { setCap } from '../../money/caps/set-cap.ts';
import { type Community, useCommunity } from '../../../helpers/use-community.ts';
import { begin, deletes, saveFace, swap, traces, untilRemoved } from './use-deletion.ts';

async function rowsOf(
  { dataDir }: Community,
  table: 'caps' | 'cap_changes' | 'budget_alerts' | 'jobs',
): Promise<unknown[]> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  return await db.kysely.selectFrom(table).selectAll().execute();
}

/** Adds limits as if Ada had set them. Some of them apply to Ada, and there are alerts for her. */
async function limitSpending({ ada, guild, dataDir }: Community): Promise<void> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const guildId = guild.id;
  await setCap(db.kysely, { guildId, kind: 'member', targetId: ada.id, limit: 120_000 });
  await setCap(db.kysely, { guildId, kind: 'member', targetId: ada.id, capability: 'lip_sync', limit: 0 });
  await setCap(db.kysely, { guildId, period: 'total', limit: 10_000_000, setBy: ada.id });
  const change = { guild_id: guildId, capability: '', period: 'day', changed_by: ada.id } as const;
  const amounts = { before_micros: null, after_micros: null, changed_at_ms: 1 };
  await db.kysely
    .insertInto('cap_changes')
    .values([
      { ...change, ...amounts, target_kind: 'member', target_id: ada.id },
      { ...change, ...amounts, target_kind: 'guild', target_id: '', changed_by: guild.owner.id },
    ])
    .execute();
}

test('leaves no byte of a member in the database or the folder except pseudonyms, and the books still add up', async () => {
  const place = await useCommunity();
  const { ada, guild, general, engine, dataDir } = place;
  const ben = guild.addMember('Ben');
  await saveFace(place);
  await (await ada.runs('/face avatar', { in: general, options: { who: 'everybody' } })).replied();
  await (await guild.owner.runs('/access block', { in: general, options: { member: ada } })).replied();
  await (await guild.owner.runs('/access unblock', { in: general, options: { member: ada } })).replied();
  await limitSpending(place);
  const posted = await swap(ada, place);
  const bens = await swap(ben, place);
  engine.pause();
  const running = await begin(ada, place);
  await expect.poll(() => engine.begun.length).toBe(3);
  const [face = ''] = await readdir(join(dataDir, 'faces'));
  const faceBytes = (await readFile(join(dataDir, 'faces', face))).subarray(100, 164);
  const personal = [ada.id, posted.id, running.id, 'Adas own face', faceBytes];
  const before = await traces(place, personal);
  const told = await rowsOf(place, 'budget_alerts');

  await deletes(place);
  engine.release();
  await untilRemoved(place);

  expect(before.length).toBeGreaterThanOrEqual(5);
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const jobs = () => db.kysely.selectFrom('jobs').select(['stage', 'user_id', 'charged_micros']).execute();
  await expect.poll(async () => (await jobs()).map(({ stage }) => stage)).toEqual(Array(3).fill('settled'));
  await expect.poll(() => traces(place, personal), { timeout: 10_000 }).toEqual([]);
  expect(posted.deleted).toBe(true);
  expect(running.reply).toBeNull();
  expect(general.messages.map(({ id }) => id)).toEqual([bens.id]);
  expect(await readdir(join(dataDir, 'faces'))).toEqual([]);
  expect(await readdir(join(dataDir, 'inputs'))).toHaveLength(2);
  expect(await readdir(join(dataDir, 'results'))).toHaveLength(1);

  const owners = (await jobs()).map(({ user_id }) => user_id);
  const gone = owners.filter((id) => id.startsWith('gone_'));
  expect(owners.filter((id) => id === ben.id)).toHaveLength(1);
  expect([gone.length, new Set(gone).size]).toEqual([2, 1]);
  expect((await jobs()).map(({ charged_micros }) => charged_micros)).toEqual(Array(3).fill(40_000));
  const holds = await db.kysely.selectFrom('holds').selectAll().execute();
  expect(holds.filter(({ user_id }) => user_id === gone[0])).toHaveLength(2);
  expect(await sumAccounts(db.kysely, guild.id)).toMatchObject({ pending: 0, spent: 120_000 });
  const differences: unknown[] = [];
  await verifyLedger(db.kysely, (difference) => differences.push(difference));
  expect(differences).toEqual([]);
  expect(told).toContainEqual(
    expect.objectContaining({ user_id: ada.id, target_kind: 'member', percent: 50 }),
  );
  const caps = await db.kysely.selectFrom('caps').selectAll().orderBy('limit_micros').execute();
  expect(caps).toMatchObject([
    { target_kind: 'member', target_id: gone[0], limit_micros: 0 },
    { target_kind: 'member', target_id: gone[0], limit_micros: 120_000 },
    { target_kind: 'guild', set_by: expect.stringMatching(/^gone_/) },
  ]);
  // The pseudonym of the admin who set a cap differs from the one under which limits recognise that member.
  const setter = caps[2]?.set_by;
  expect(setter).not.toBe(gone[0]);
  const changes = await rowsOf(place, 'cap_changes');
  expect(changes).toHaveLength(2);
  for (const change of [
    { target_kind: 'member', target_id: gone[0], changed_by: setter },
    { target_kind: 'guild', target_id: '', changed_by: guild.owner.id },
  ]) {
    expect(changes).toContainEqual(expect.objectContaining(change));
  }
  expect((await place.bot.budget(guild.id)).left).toBe(10_000_000 - 120_000);
});

test('cancels jobs that were not sent to the service yet, and releases their holds', async () => {
  const place = await useCommunity();
  const { ada, sandbox, engine } = place;
  sandbox.faults.failNextDownload({ delayMs: 3_000, times: 2 });
  const waiting = await begin(ada, place);
  await waiting.acknowledged();
  await expect.poll(() => rowsOf(place, 'jobs')).toHaveLength(1);

  await deletes(place);
  await untilRemoved(place);

  expect(engine.begun).toEqual([]);
  expect(waiting.reply).toBeNull();
  await expect.poll(async () => (await place.bot.budget(place.guild.id)).left).toBe(10_000_000);
  expect(await traces(place, [ada.id])).toEqual([]);
});

test("continues after a crash immediately after the member's confirmation", async () => {
  const place = await useCommunity();
  const { ada, dataDir } = place;
  const posted = await swap(ada, place);
  await saveFace(place);
  await place.bot[Symbol.asyncDispose]();
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const nothing = { pseudonymOf: String, onRemoval: () => undefined, resultKeepMs: 0 };
  await new PrivacyDesk({ db, clock: systemClock, ...nothing }).remove(ada.id, { keepNeverSwap: false });
  expect(posted.deleted).toBe(false);

  await using _bot = await createMasquerade(place.botOptions);
  await untilRemoved(place);

  expect(posted.deleted).toBe(true);
  expect(await readdir(join(dataDir, 'faces'))).toEqual([]);
  expect(await readdir(join(dataDir, 'results'))).toEqual([]);
});

test('tries again when the chat cannot be reached to delete a message', async () => {
  const place = await useCommunity();
  const posted = await swap(place.ada, place);
  const route = '/channels/:channelId/messages/:messageId';
  place.sandbox.faults.failNext({ method: 'DELETE', route, status: 'cut', times: 2 });

  await deletes(place);
  await untilRemoved(place);

  expect(posted.deleted).toBe(true);
});

test('keeps a block of the member, without their id, and on request the wish that their face is never swapped', async () => {
  const place = await useCommunity();
  const { ada, guild, general } = place;
  const owner = (subcommand: string) =>
    guild.owner.runs(`/access ${subcommand}`, {
      in: general,
      options: subcommand === 'show' ? {} : { member: ada },
    });
  await (await owner('block')).replied();

  await deletes(place, 'Delete, and never swap my face');
  await untilRemoved(place);
  const shown = await (await owner('show')).replied();
  const refused = await (await begin(ada, place)).followUpWhere(() => true);
  const seen = await (await ada.runs('/privacy see', { in: general })).replied();
  await (await owner('unblock')).replied();

  expect(shown.text).toContain('**Blocked members**: 1 who deleted their data');
  expect(refused.text).toContain('have blocked you');
  expect(seen.text).toMatch(/\*\*Commands\*\*: 0 .*\n.*\*\*Never swap my face\*\*: on/s);
  expect((await (await owner('show')).replied()).text).toContain('**Blocked members**: none');
});
