import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { sumAccounts } from '../../db/queries/ledger-entries.ts';
import { createMasquerade } from '../../src/bot.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PrivacyDesk } from '../../src/members/privacy.ts';
import type { SandboxMember } from '../../src/sandbox/script/member-script.ts';
import type { MessageView } from '../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';
import { aPicture } from '../menus/use-menus.ts';
import { type Community, sample, useCommunity } from '../use-community.ts';

const isResult = (message: MessageView): boolean => message.attachments.length === 1;
const EVERYTHING = 'Delete everything';

async function begin(
  who: SandboxMember,
  { general }: Community,
  base = 'portrait-man-dark-hair.jpg',
): Promise<UseOfBot> {
  const image = await sample(base);
  const face = await sample('portrait-woman-brown-hair.jpg');
  return who.runs('/photo-swap', { in: general, options: { image, face } });
}

async function swap(who: SandboxMember, place: Community, base?: string): Promise<MessageView> {
  return (await begin(who, place, base)).replyWhere(isResult);
}

async function saveFace({ ada, general }: Community): Promise<void> {
  const picture = await sample('portrait-woman-curly-hair.jpg');
  const options = { picture, name: 'Adas own face' };
  const asked = await (await ada.runs('/face save', { in: general, options })).replied();
  await ada.presses('I may use this face', { on: asked });
  await expect.poll(() => asked.text).toContain('is saved for you alone');
}

async function deletes({ ada, general }: Community, button = EVERYTHING): Promise<void> {
  const asked = await (await ada.runs('/privacy delete', { in: general })).replied();
  await ada.presses(button, { on: asked });
  await expect.poll(() => asked.text).toContain('is being deleted');
}

/** Every byte of the bot's folder, by file. */
async function everything({ dataDir }: Community): Promise<Map<string, Buffer>> {
  const found = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (path) => [path, await readFile(path)] as const)));
}

/** Files that hold any of these. */
async function traces(place: Community, needles: readonly (string | Buffer)[]): Promise<string[]> {
  const files = await everything(place);
  return [...files].flatMap(([path, bytes]) =>
    needles
      .filter((needle) => bytes.includes(needle))
      .map((needle) => `${path}: ${String(needle).slice(0, 30)}`),
  );
}

/** What the bot asks `who` about a message with a picture that `of` posted. */
async function picks({ general }: Community, who: SandboxMember, of: SandboxMember): Promise<MessageView> {
  const message = await of.says('Look', { in: general, files: [await aPicture('look.png')] });
  return (await who.runsOn('Use in a swap', message, { in: general })).replied();
}

/** Bytes that no other file has. */
async function middleOf(path: string | null): Promise<Buffer> {
  const bytes = await readFile(path ?? '');
  return bytes.subarray(bytes.length / 2, bytes.length / 2 + 64);
}

async function untilRemoved(place: Community): Promise<void> {
  await using db = await openDatabase({ url: `sqlite:${place.dataDir}/masquerade.db` });
  await expect
    .poll(() => db.kysely.selectFrom('removals').select('kind').execute(), { timeout: 15_000 })
    .toEqual([]);
}

it('leaves no byte of a member in the database or the folder but pseudonyms, and the books still add up', async () => {
  const place = await useCommunity();
  const { ada, guild, general, engine, dataDir } = place;
  const ben = guild.addMember('Ben');
  await saveFace(place);
  await (await ada.runs('/face avatar', { in: general, options: { who: 'everybody' } })).replied();
  await (await guild.owner.runs('/access block', { in: general, options: { member: ada } })).replied();
  await (await guild.owner.runs('/access unblock', { in: general, options: { member: ada } })).replied();
  const posted = await swap(ada, place);
  const bens = await swap(ben, place);
  engine.pause();
  const running = await begin(ada, place);
  await expect.poll(() => engine.begun.length).toBe(3);
  const [face = ''] = await readdir(join(dataDir, 'faces'));
  const faceBytes = (await readFile(join(dataDir, 'faces', face))).subarray(100, 164);
  const personal = [ada.id, posted.id, running.id, 'Adas own face', faceBytes];
  const before = await traces(place, personal);

  await deletes(place);
  engine.release();
  await untilRemoved(place);

  expect(before.length).toBeGreaterThanOrEqual(5);
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
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
  const [{ guild_id: guildId, period_starts_at_ms: startsAtMs } = { guild_id: '', period_starts_at_ms: 0 }] =
    holds;
  expect(await sumAccounts(db.kysely, { guildId, startsAtMs })).toMatchObject({ pending: 0, spent: 120_000 });
  expect((await place.bot.budget(guild.id)).left).toBe(10_000_000 - 120_000);
});

it('cancels what was not sent to the service yet, and gives its price back', async () => {
  const place = await useCommunity();
  const { ada, sandbox, engine } = place;
  sandbox.faults.failNextDownload({ delayMs: 3_000, times: 2 });
  const waiting = await begin(ada, place);
  await waiting.acknowledged();

  await deletes(place);
  await untilRemoved(place);

  expect(engine.begun).toEqual([]);
  expect(waiting.reply).toBeNull();
  await expect.poll(async () => (await place.bot.budget(place.guild.id)).left).toBe(10_000_000);
  expect(await traces(place, [ada.id])).toEqual([]);
});

it('goes on after a crash that came right after the member had confirmed', async () => {
  const place = await useCommunity();
  const { ada, dataDir } = place;
  const posted = await swap(ada, place);
  await saveFace(place);
  await place.bot[Symbol.asyncDispose]();
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  const nothing = { pseudonymOf: String, nudge: () => undefined, resultKeepMs: 0 };
  await new PrivacyDesk({ db, clock: systemClock, ...nothing }).remove(ada.id, { keepNeverSwap: false });
  expect(posted.deleted).toBe(false);

  await using _bot = await createMasquerade(place.botOptions);
  await untilRemoved(place);

  expect(posted.deleted).toBe(true);
  expect(await readdir(join(dataDir, 'faces'))).toEqual([]);
  expect(await readdir(join(dataDir, 'results'))).toEqual([]);
});

it('tries again when the chat cannot be asked to delete a message', async () => {
  const place = await useCommunity();
  const posted = await swap(place.ada, place);
  const route = '/channels/:channelId/messages/:messageId';
  place.sandbox.faults.failNext({ method: 'DELETE', route, status: 'cut', times: 2 });

  await deletes(place);
  await untilRemoved(place);

  expect(posted.deleted).toBe(true);
});

it('keeps a block of the member, though not their id, and on wish that their face is never swapped', async () => {
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

it('leaves nothing of what was chosen, reported, uploaded again or made smaller, and nothing of others is lost', async () => {
  const community = await useCommunity();
  // So small that the result is posted as a smaller copy.
  const guild = community.sandbox.addGuild('Small place', { attachmentSizeLimitBytes: 45_000 });
  const place = {
    ...community,
    guild,
    general: guild.addTextChannel('general'),
    ada: guild.addMember('Ada'),
  };
  const { ada, dataDir } = place;
  const ben = guild.addMember('Ben');
  const bens = await swap(ben, place, 'portrait-man-elderly.jpg');
  const posted = await swap(ada, place, 'no-face-landscape.jpg');
  await swap(ada, place, 'no-face-landscape.jpg');
  await picks(place, ada, ben);
  await picks(place, ben, ada);
  const kept = await picks(place, ben, ben);
  await (await ada.presses('Report', { on: bens })).replied();
  await (await ben.presses('Report', { on: posted })).replied();
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  const { kysely } = db;
  const job = await kysely
    .selectFrom('jobs')
    .selectAll()
    .where('result_message_id', '=', posted.id)
    .executeTakeFirstOrThrow();
  const personal = [ada.id, posted.id, await middleOf(job.result_path), await middleOf(job.chat_path)];
  const reused = await kysely.selectFrom('job_inputs').select('job_id').where('reuse', '=', 'used').execute();
  expect(reused).toHaveLength(2);
  expect(await traces(place, personal)).not.toEqual([]);

  await deletes(place);
  await untilRemoved(place);

  await expect.poll(() => traces(place, personal), { timeout: 10_000 }).toEqual([]);
  const left = await kysely.selectFrom('picks').select('user_id').execute();
  expect(left).toEqual([{ user_id: ben.id }]);
  expect(await kysely.selectFrom('reports').select('reporter_id').execute()).toEqual([
    { reporter_id: ben.id },
  ]);
  const uploaded = await kysely.selectFrom('uploads').select('user_id').execute();
  expect(uploaded).toEqual([{ user_id: ben.id }, { user_id: ben.id }]);
  const gone = await kysely.selectFrom('jobs').selectAll().where('id', '=', job.id).executeTakeFirstOrThrow();
  expect([gone.chat_path, gone.chat_mime, gone.result_mime, gone.result_bytes, gone.undelivered]).toEqual(
    Array(5).fill(null),
  );
  await (await ben.presses('Photo Swap: as the picture', { on: kept })).acknowledged();
});
