import { expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import { ShiftedClock } from '../../helpers/shifted-clock.ts';
import { useCommunity, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import { AS_PICTURE, aPicture, offerMenus, opens, posts, presses, useMenus } from './use-menus.ts';

function labelsOf(message: MessageView): unknown[] {
  const rows = message.components as { components: { label?: string }[] }[];
  return rows.flatMap((row) => row.components.flatMap(({ label }) => label ?? []));
}

test("a picture from a member's message and an uploaded face become a posted result", async () => {
  const community = await useMenus();
  const { ada, general } = community;
  const message = await posts(community, 'beach.png');

  const menu = await opens(community, message);
  const asked = await presses(community, AS_PICTURE, menu);
  const sent = await ada.submits(asked, { face: await aPicture('face.png') });
  const result = await sent.replyWhere(({ attachments }) => attachments.length === 1);

  expect(menu.flags.ephemeral).toBe(true);
  expect(asked.form).toMatchObject({ title: AS_PICTURE });
  expect(result.text).toContain(`made for <@${ada.id}>`);
  expect(general.messages.map(({ id }) => id)).toEqual([message.id, result.id]);
});

test('every possible action for a picture has a button', async () => {
  const community = await useMenus();

  const menu = await opens(community, await posts(community, 'beach.png'));

  expect(labelsOf(menu)).toEqual([
    AS_PICTURE,
    'Photo Swap: as the face',
    'Video Swap: as the face',
    'Identity Swap: as the character',
    'Motion Transfer: as the picture',
    'Avatar: as the picture',
  ]);
});

test('one of several files is chosen, and the actions depend on its kind', async () => {
  const community = await useMenus();
  const message = await posts(community, 'beach.png', 'notes.txt', 'dance.mp4', 'song.mp3');

  const menu = await opens(community, message);
  const before = labelsOf(menu);
  await (await community.ada.selects(['1'], { on: menu })).acknowledged();
  await expect.poll(() => labelsOf(menu)).not.toEqual(before);

  expect(menu.text).toContain('1. beach.png');
  expect(menu.text).toContain('2. dance.mp4');
  expect(menu.text).toContain('3. song.mp3');
  expect(menu.text).not.toContain('notes.txt');
  expect(labelsOf(menu)).toEqual([
    'Video Swap: as the video',
    'Identity Swap: as the video',
    'Motion Transfer: as the movement',
    'Lip Sync: as the video',
  ]);
});

test('the files of a forwarded message are used like its own', async () => {
  const community = await useMenus();
  const { general, guild } = community;
  const elsewhere = guild.addTextChannel('elsewhere');
  const forward = await guild
    .addMember('Chidi')
    .forwards(await posts(community, 'beach.png', 'dance.mp4'), { in: elsewhere });

  const menu = await (await community.ada.runsOn('Use in a swap', forward, { in: elsewhere })).replied();

  expect(menu.text).toContain('2. dance.mp4');
  expect(general.messages).toHaveLength(1);
});

test('the form asks for the other inputs and options', async () => {
  const community = await useMenus();
  const menu = await opens(community, await posts(community, 'beach.png'));

  const asked = await presses(community, 'Avatar: as the picture', menu);

  expect(asked.form).toMatchObject({
    components: [
      { label: 'Script', component: { type: 4, style: 2, required: false } },
      { label: 'Script file', component: { type: 19, required: false, file_types: ['.txt'] } },
      { label: 'Voice', component: { required: false } },
      { label: 'Language', component: { type: 4, required: false } },
      { label: 'Resolution', component: { type: 3, required: false } },
    ],
  });
});

test('continues where it was when the bot is restarted between menu, button and form', async () => {
  const place = await useCommunityWithoutBot({ bot: { registerCommands: 'never' } });
  offerMenus(place);
  const start = async (): Promise<AsyncDisposable> => {
    const bot = await createMasquerade(place.botOptions);
    onTestFinished(() => bot[Symbol.asyncDispose]());
    return bot;
  };
  const restart = async (bot: AsyncDisposable): Promise<AsyncDisposable> => {
    await bot[Symbol.asyncDispose]();
    return start();
  };
  const first = await start();
  const menu = await opens(place, await posts(place, 'beach.png'));
  const second = await restart(first);
  const asked = await presses(place, AS_PICTURE, menu);
  await restart(second);
  const sent = await place.ada.submits(asked, { face: await aPicture('face.png') });

  const result = await sent.replyWhere(({ attachments }) => attachments.length === 1);

  expect(result.text).toContain(`made for <@${place.ada.id}>`);
});

test('a choice older than half an hour is reported as expired, privately', async () => {
  const clock = new ShiftedClock();
  const community = await useMenus(clock);
  const menu = await opens(community, await posts(community, 'beach.png'));
  const asked = await presses(community, AS_PICTURE, menu);
  clock.shift(31 * 60_000);

  const late = await (await community.ada.presses(AS_PICTURE, { on: menu })).replied();
  const sent = await community.ada.submits(asked, { face: await aPicture('face.png') });
  const told = await sent.followUpWhere(() => true);

  for (const reply of [late, told]) {
    expect(reply.flags.ephemeral).toBe(true);
    expect(reply.text).toContain('kept for 30 minutes');
  }
  expect(community.general.messages).toHaveLength(1);
});

test('a message without a picture, video or recording is reported as such', async () => {
  const community = await useMenus();

  const reply = await opens(community, await posts(community, 'notes.txt'));

  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.text).toContain('no picture, video or recording');
});

test('the messages of the bot contain no link of a file', async () => {
  const sent: string[] = [];
  const observe = ({ requestBody }: { requestBody: unknown }): void =>
    void sent.push(JSON.stringify(requestBody) ?? '');
  const community = await useCommunity({ bot: { registerCommands: 'never' }, sandbox: { observe } });
  offerMenus(community);

  const menu = await opens(community, await posts(community, 'beach.png', 'dance.mp4'));
  await presses(community, AS_PICTURE, menu);

  expect(sent.join('\n')).toContain('pick-use');
  expect(sent.join('\n')).not.toContain('/attachments/');
});
