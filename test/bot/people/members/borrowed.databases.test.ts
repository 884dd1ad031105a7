import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../db/database.ts';
import { databaseUrlIn } from '../../../db/database-url.ts';
import { storedBytes } from '../../../db/stored-bytes.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { AS_FACE, aPicture, presses } from '../../../whole/menus/use-menus.ts';
import { type Community, useCommunity } from '../../../helpers/use-community.ts';

interface Place extends Community {
  readonly ben: SandboxMember;
}

const isResult = ({ attachments }: MessageView): boolean => attachments.length === 1;
const NOT_ALLOWED = 'has not allowed its use here';
const NEVER = 'who wants theirs never to be used';

/** Creates a community in which Ben allows everyone to use his avatar. */
async function usePlace(): Promise<Place> {
  const community = await useCommunity();
  const ben = community.guild.addMember('Ben');
  ben.hasAvatar(await picture(90, 64));
  const place = { ...community, ben };
  await says(place, 'everybody');
  return place;
}

async function says({ ben, general }: Place, who: 'everybody' | 'nobody'): Promise<void> {
  await (await ben.runs('/face avatar', { in: general, options: { who } })).replied();
}

async function neverSwaps({ ben, general }: Place): Promise<void> {
  await (await ben.runs('/privacy never-swap', { in: general, options: { on: true } })).replied();
}

/** Has Ada open the form for Ben's avatar, or for a file that he posted. */
async function asks(place: Place, of: 'avatar' | 'message'): Promise<UseOfBot> {
  const { ada, ben, general } = place;
  const use =
    of === 'avatar'
      ? await ada.runsOn('Use avatar in a swap', ben, { in: general })
      : await ada.runsOn(
          'Use in a swap',
          await ben.says('Me', { in: general, files: [await aPicture('me.png')] }),
          { in: general },
        );
  return presses(place, AS_FACE, await use.replied());
}

async function sends({ ada }: Place, form: UseOfBot): Promise<UseOfBot> {
  return ada.submits(form, { image: await aPicture('beach.png') });
}

/** Returns the result that Ada makes from Ben's picture. */
async function makes(place: Place, of: 'avatar' | 'message'): Promise<MessageView> {
  return (await sends(place, await asks(place, of))).replyWhere(isResult);
}

/** Has Ada press Retry. Returns the text of the private reply. */
async function retries({ ada }: Place, result: MessageView): Promise<string> {
  return whispered(await ada.presses('Retry', { on: result }));
}

/** Returns the text of the bot's private reply. */
async function whispered(use: UseOfBot): Promise<string> {
  const reply = await use.followUpWhere(() => true);
  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.mentions).toEqual([]);
  return reply.text;
}

/** Has Ben delete his data. */
async function deletes({ ben, general }: Place): Promise<void> {
  const asked = await (await ben.runs('/privacy delete', { in: general })).replied();
  await ben.presses('Delete everything', { on: asked });
}

/** Returns the request fields whose input files are kept. */
async function keptInputs({ dataDir }: Place): Promise<string[]> {
  const names = await readdir(join(dataDir, 'inputs'));
  return names.map((name) => name.split('.')[1] ?? '').toSorted();
}

test("another member's avatar is used after they allow it, and not after they withdraw that", async () => {
  const place = await usePlace();
  const result = await makes(place, 'avatar');
  const again = await (await place.ada.presses('Retry', { on: result })).replyWhere(isResult);

  await says(place, 'nobody');

  expect(result.text).toContain(`made for <@${place.ada.id}>`);
  for (const card of [result, again]) {
    expect(await retries(place, card)).toContain(`<@${place.ben.id}>, who has not allowed`);
  }
  expect(place.engine.begun).toHaveLength(2);
});

test('a member who may not retry is informed, also while another retry is running', async () => {
  const place = await usePlace();
  const result = await makes(place, 'avatar');
  place.engine.pause();
  const again = await place.ada.presses('Retry', { on: result });
  await expect.poll(() => place.engine.begun).toHaveLength(2);

  await says(place, 'nobody');

  expect(await retries(place, result)).toContain(NOT_ALLOWED);
  place.engine.release();
  await again.replyWhere(isResult);
});

test("the result made from an avatar cannot be used against its member's decision either", async () => {
  const place = await usePlace();
  const result = await makes(place, 'avatar');
  const menu = await (await presses(place, 'Use as input', result)).replied();
  const made = await (await sends(place, await presses(place, AS_FACE, menu))).replyWhere(isResult);
  const late = await presses(place, AS_FACE, await (await presses(place, 'Use as input', made)).replied());

  await says(place, 'nobody');

  expect(await whispered(await sends(place, late))).toContain(NOT_ALLOWED);
  expect(await retries(place, made)).toContain(NOT_ALLOWED);
});

test('an avatar whose permission is withdrawn between menu and form is not used', async () => {
  const place = await usePlace();
  const form = await asks(place, 'avatar');

  await says(place, 'nobody');

  expect(await whispered(await sends(place, form))).toContain(NOT_ALLOWED);
  expect(place.engine.begun).toEqual([]);
});

test('a file that a member posted is not used once their face must never be swapped', async () => {
  const place = await usePlace();
  const result = await makes(place, 'message');
  const form = await asks(place, 'message');

  await neverSwaps(place);
  const { ada, ben, general } = place;
  const message = await ben.says('Me', { in: general, files: [await aPicture('me.png')] });
  const menu = await (await ada.runsOn('Use in a swap', message, { in: general })).replied();

  expect(await whispered(await sends(place, form))).toContain(NEVER);
  expect(await retries(place, result)).toContain(NEVER);
  expect(menu.text).toContain('wants nothing of theirs');
  expect(place.engine.begun).toHaveLength(1);
});

test('the posted result of a file that is no longer kept cannot be used against the decision of the member it shows', async () => {
  const place = await usePlace();
  const { ada, ben, general, dataDir } = place;
  const result = await makes(place, 'message');
  const results = join(dataDir, 'results');
  for (const name of await readdir(results)) await rm(join(results, name));
  const opens = async (): Promise<MessageView> =>
    (await ada.runsOn('Use in a swap', result, { in: general })).replied();
  const made = await (await sends(place, await presses(place, AS_FACE, await opens()))).replyWhere(isResult);

  await neverSwaps(place);

  expect(made.text).toContain(`made for <@${ada.id}>`);
  const late = await sends(place, await presses(place, AS_FACE, await opens()));
  expect(await whispered(late)).toContain(`<@${ben.id}>, ${NEVER}`);
});

test('a file of the bot is not used if it is unknown whom it shows', async () => {
  const place = await usePlace();
  const { ada, general, dataDir } = place;
  const result = await makes(place, 'message');
  const menu = async (): Promise<UseOfBot> => {
    const opened = await ada.runsOn('Use in a swap', result, { in: general });
    return presses(place, AS_FACE, await opened.replied());
  };
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  await db.kysely.updateTable('jobs').set({ result_message_id: null }).execute();

  expect(await whispered(await sends(place, await menu()))).toContain('had their data deleted');
});

test('a saved face is used by its name, and only by the member who saved it', async () => {
  const place = await usePlace();
  const { ada, ben, general } = place;
  const options = { picture: await aPicture('me.png'), name: 'Me' };
  const asked = await (await ada.runs('/face save', { in: general, options })).replied();
  await ada.presses('I may use this face', { on: asked });
  await expect.poll(() => asked.text).toContain('is saved for you alone');
  const image = await aPicture('beach.png');
  const swap = (who: SandboxMember) =>
    who.runs('/photo-swap', { in: general, options: { image, saved_face: 'Me' } });

  const result = await (await swap(ada)).replyWhere(isResult);
  const others = await (await swap(ben)).replied();
  await (await ada.runs('/privacy never-swap', { in: general, options: { on: true } })).replied();
  const again = await retries(place, result);

  expect(result.text).toContain(`made for <@${ada.id}>`);
  expect(others.text).toContain('no saved face of that name');
  expect(again).toContain('You chose that your face is never swapped');
});

test("pictures of a member that others keep are deleted with the member's data", async () => {
  const place = await usePlace();
  const { ada, ben, dataDir } = place;
  const result = await makes(place, 'avatar');
  const menu = await (await presses(place, 'Use as input', result)).replied();
  const form = await presses(place, AS_FACE, menu);
  expect(await keptInputs(place)).toEqual(['face_key', 'image_key']);

  await deletes(place);
  await expect.poll(() => keptInputs(place), { timeout: 15_000 }).toEqual(['image_key']);

  expect(await retries(place, result)).toContain('not kept any more');
  const refused = await ada.submits(form, { image: await aPicture('beach.png') });
  expect(await whispered(refused)).toContain('a member who had their data deleted');
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const owners = () => db.kysely.selectFrom('job_input_owners').select(['owner_id', 'kind']).execute();
  expect(await owners()).toEqual([{ owner_id: '', kind: 'gone' }]);
  const stored = async (): Promise<Buffer> => Buffer.concat([...(await storedBytes(dataDir)).values()]);
  await expect.poll(async () => (await stored()).includes(ben.id)).toBe(false);
});

test('a removal does not interrupt an allowed job, and waits until the job no longer needs the picture', async () => {
  const place = await usePlace();
  const form = await asks(place, 'avatar');
  place.sandbox.faults.failNextDownload({ delayMs: 1_500, times: 2 });
  const sent = await (await sends(place, form)).acknowledged();
  await using db = await openDatabase({ url: databaseUrlIn(place.dataDir) });
  await expect.poll(() => db.kysely.selectFrom('jobs').select('id').execute()).toHaveLength(1);

  await deletes(place);
  const result = await sent.replyWhere(isResult);
  await expect.poll(() => keptInputs(place), { timeout: 15_000 }).toEqual(['image_key']);

  expect(await retries(place, result)).toContain('not kept any more');
});
