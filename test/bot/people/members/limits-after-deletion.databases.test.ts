import { expect, test } from 'vitest';
import { openDatabase } from '../../../../db/database.ts';
import { budget, refusal, swap, begin as taken } from '../../../commands/use-budget-command.ts';
import { databaseUrlIn } from '../../../db/database-url.ts';
import { parseUsd } from '../../../../src/base/money.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import { type Community, useCommunity } from '../../../helpers/use-community.ts';
import { begin, deletes, traces, untilRemoved } from './use-deletion.ts';

const DAY_MS = 86_400_000;

async function removed(place: Community): Promise<void> {
  await deletes(place);
  await untilRemoved(place);
}

test("counts the earlier use of a role's and a member's budget through four deletions, until they reset", async () => {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock } });
  const { ada, guild, general } = place;
  const patron = guild.addRole('Patron');
  ada.hasRoles(patron);
  await budget(guild.owner, general, 'set', { amount: '0.07', period: 'day', role: patron });
  await budget(guild.owner, general, 'set', { amount: '0.15', period: 'month', member: ada });
  await swap(ada, general);
  for (let times = 0; times < 4; times++) {
    await removed(place);
    await expect.poll(() => traces(place, [ada.id])).toEqual([]);
    expect(await refusal(ada, general, 'alone')).toContain('**$0.03** of **$0.07** left');
  }

  const shown = await budget(guild.owner, general, 'show');
  const command = '/budget clear';
  const [gone] = await guild.owner.completes(command, { in: general, option: 'gone', typed: 'deleted' });
  const cleared = await budget(guild.owner, general, 'clear', { gone: String(gone?.value), period: 'month' });
  clock.shift(DAY_MS);
  await taken(ada, general);

  expect(shown).toContain('The monthly budget of a member who deleted their data');
  expect(gone?.name).toMatch(/^Member who deleted their data \(\w{6}\)$/);
  expect(cleared).toContain('a member who deleted their data does not count any more. It was **$0.15**.');
});

test('shows the member what still counts after a deletion, to them only and only while it counts', async () => {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock } });
  const { ada, guild, general } = place;
  const asks = async (who: typeof ada, command: string, options = {}): Promise<string> =>
    (await (await who.runs(command, { in: general, options })).replied()).text;
  await budget(guild.owner, general, 'set', { amount: '1', period: 'week', member: ada });
  await swap(ada, general);
  const sentence = 'What was charged before you deleted your data still counts until the limits reset.';

  const before = [await asks(ada, '/spend show'), await asks(ada, '/privacy see')];
  await removed(place);
  const after = [await asks(ada, '/spend show'), await asks(ada, '/privacy see')];
  const ofOwner = [
    await asks(guild.owner, '/spend show', { member: ada }),
    await asks(guild.owner, '/privacy see'),
  ];
  clock.shift(7 * DAY_MS);
  const later = await asks(ada, '/spend show');

  for (const text of [...before, ...ofOwner, later]) expect(text).not.toContain(sentence);
  for (const text of after) expect(text).toContain(sentence);
  expect(after[0]).toContain('Nothing was charged by');
  expect(after[0]).toContain('**$0.96** of **$1.00** left');
});

test('lets an admin replace the budget of a member who deleted their data', async () => {
  const place = await useCommunity();
  const { ada, guild, general } = place;
  await budget(guild.owner, general, 'set', { amount: '0', period: 'day', member: ada });
  await removed(place);

  const set = await budget(guild.owner, general, 'set', { amount: '1', period: 'day', member: ada });
  await swap(ada, general);
  await removed(place);
  await budget(guild.owner, general, 'set', { amount: '0.05', period: 'day', member: ada });

  expect(set).toContain('$0.00');
  expect(await refusal(ada, general, 'alone')).toContain('**$0.01** of **$0.05** left');
});

test('removes the data of a member who was blocked again, three times', async () => {
  const place = await useCommunity();
  const { ada, guild, general } = place;
  const show = () => guild.owner.runs('/access show', { in: general });
  const owner = (subcommand: 'block' | 'unblock') =>
    guild.owner.runs(`/access ${subcommand}`, { in: general, options: { member: ada } });
  for (let times = 0; times < 3; times++) {
    await (await owner('block')).replied();
    await removed(place);
    expect(await traces(place, [ada.id])).toEqual([]);
  }
  const shown = await (await show()).replied();
  const refused = await (await begin(ada, place)).followUpWhere(() => true);
  await (await owner('unblock')).replied();

  expect(shown.text).toContain('**Blocked members**: 1 who deleted their data');
  expect(refused.text).toContain('have blocked you');
  expect((await (await show()).replied()).text).toContain('**Blocked members**: none');
});

test('keeps the pause between two jobs, and running jobs, of a member who deletes their data', async () => {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock } });
  const { ada, guild, general, engine } = place;
  const limits = async (options: Record<string, number>) =>
    (await guild.owner.runs('/access limits', { in: general, options })).replied();
  await limits({ cooldown: 3_600 });
  await swap(ada, general);
  await removed(place);
  const paused = await (await begin(ada, place)).followUpWhere(() => true);
  await limits({ cooldown: 0, 'at-once': 1 });
  engine.pause();
  await begin(ada, place);
  await expect.poll(() => engine.begun.length).toBe(2);
  await deletes(place);
  await using db = await openDatabase({ url: databaseUrlIn(place.dataDir) });
  const owners = () => db.kysely.selectFrom('jobs').select('user_id').execute();
  await expect.poll(async () => (await owners()).some(({ user_id }) => user_id === ada.id)).toBe(false);
  const busy = await (await begin(ada, place)).followUpWhere(() => true);
  engine.release();
  await untilRemoved(place);

  expect(paused.text).toContain('between two');
  expect(busy.text).toContain('one running at a time');
});

test('keeps no data of a member after their limits have reset', async () => {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock } });
  const { ada, guild, general } = place;
  await budget(guild.owner, general, 'set', { amount: '1', period: 'week', member: ada });
  await swap(ada, general);
  await removed(place);
  await using db = await openDatabase({ url: databaseUrlIn(place.dataDir) });
  const { kysely } = db;
  const [gone] = await kysely.selectFrom('gone_members').selectAll().execute();
  await budget(guild.owner, general, 'clear', { gone: `member:${gone?.pseudonym}`, period: 'week' });
  expect(await traces(place, [gone?.pseudonym ?? ''])).not.toEqual([]);

  clock.shift(40 * DAY_MS);
  const ben = guild.addMember('Ben');
  await deletes({ ...place, ada: ben });
  await untilRemoved(place);

  await expect.poll(() => traces(place, [gone?.pseudonym ?? '']), { timeout: 10_000 }).toEqual([]);
  expect(await kysely.selectFrom('gone_members').selectAll().execute()).toEqual([]);
});

/** Charges one of Ada's jobs far above its hold, so that her next jobs wait for a review. */
async function charged({ ada, general, media }: Community): Promise<void> {
  const rate = { rate: parseUsd('1'), minimum: parseUsd('1'), hold: parseUsd('0.06') };
  media.admin.setRate('photo_swap', rate);
  await swap(ada, general);
  media.admin.setRate('photo_swap', { ...rate, rate: parseUsd('0.03'), minimum: parseUsd('0.03') });
}

function overruns({ guild, general }: Community, options = {}): Promise<MessageView> {
  return guild.owner.runs('/spend overruns', { in: general, options }).then((use) => use.replied());
}

const isWaiting = (message: MessageView): boolean => message.text.includes('waits for a review');
const isResult = (message: MessageView): boolean => message.attachments.length === 1;
const LOOKED = 'Reviewed: go on';

test('makes jobs wait for the review of a charge far above its hold, also after its member deletes their data', async () => {
  const place = await useCommunity();
  const { ada, guild } = place;
  await charged(place);
  await removed(place);

  const use = await begin(ada, place);
  const waiting = await use.replyWhere(isWaiting, { timeoutMs: 20_000 });
  const why = waiting.text;
  const own = await (await ada.presses(LOOKED, { on: waiting })).replied();
  const listed = await overruns(place);
  const looked = await (await guild.owner.presses(LOOKED, { on: waiting })).replied();
  await use.replyWhere(isResult, { timeoutMs: 20_000 });

  expect(why).toContain('**$1.00**');
  expect(own.text).toContain('Only members who may manage the server');
  expect(listed.text).toContain('a member who deleted their data, Photo Swap: **$1.00** charged');
  expect(looked.text).toContain('start again');
  expect((await overruns(place)).text).not.toContain('wait for your review');
});

test('lets an admin review the charge of a member who deleted their data, whose waiting job then continues', async () => {
  const place = await useCommunity();
  const { ada, guild, general } = place;
  await charged(place);
  await removed(place);
  const use = await begin(ada, place);
  await use.replyWhere(isWaiting, { timeoutMs: 20_000 });

  const [gone] = await guild.owner.completes('/spend overruns', { in: general, option: 'gone', typed: '' });
  const none = await ada.completes('/spend overruns', { in: general, option: 'gone', typed: '' });
  const wrong = await overruns(place, { gone: 'gone' });
  const looked = await overruns(place, { gone: String(gone?.value) });
  await use.replyWhere(isResult, { timeoutMs: 20_000 });

  expect(gone?.name).toMatch(/^Member who deleted their data \(\w{6}\)$/);
  expect(none).toEqual([]);
  expect(wrong.text).toContain('Pick one from the list');
  expect(looked.text).toContain('Jobs of a member who deleted their data start again.');
});

test('makes the job of a member who deleted their data wait for a review for at most 90 days', async () => {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock }, media: { clock } });
  await charged(place);
  await removed(place);
  await using db = await openDatabase({ url: databaseUrlIn(place.dataDir) });
  const { kysely } = db;
  const [gone] = await kysely.selectFrom('gone_members').selectAll().execute();
  const watched = async (): Promise<string[]> =>
    (await kysely.selectFrom('overrun_watches').select('user_id').execute()).map((row) => row.user_id);
  const ben = place.guild.addMember('Ben');

  clock.shift(89 * DAY_MS);
  await deletes({ ...place, ada: ben });
  await untilRemoved(place);
  expect(await watched()).toEqual([gone?.pseudonym]);
  clock.shift(2 * DAY_MS);
  await deletes({ ...place, ada: ben });
  await untilRemoved(place);

  await expect.poll(() => traces(place, [gone?.pseudonym ?? '']), { timeout: 10_000 }).toEqual([]);
  expect(await watched()).toEqual([]);
});
