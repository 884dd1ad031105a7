import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { photoSwap } from '../../../commands/photo-swap.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import { ShiftedClock } from '../../helpers/shifted-clock.ts';
import type { Community } from '../../helpers/use-community.ts';
import { AS_FACE, aPicture, opens, presses, useMenus } from './use-menus.ts';

const BUTTON = 'Use as input';
const DAY_MS = 86_400_000;

/** Creates a community in which Ben's swap was posted. */
async function useResult(clock?: Clock): Promise<Community & { readonly result: MessageView }> {
  const community = await useMenus(clock);
  community.sandbox.addCommand(photoSwap.data);
  const ben = community.guild.addMember('Ben');
  const options = { image: await aPicture('beach.png'), face: await aPicture('face.png') };
  const use = await ben.runs('/photo-swap', { in: community.general, options });
  const result = await use.replyWhere(({ attachments }) => attachments.length === 1);
  return { ...community, result };
}

test("another member's result becomes the input of a new job, weeks later", async () => {
  const clock = new ShiftedClock();
  const community = await useResult(clock);
  const { ada, result } = community;
  clock.shift(20 * DAY_MS);

  const menu = await (await presses(community, BUTTON, result)).replied();
  const asked = await presses(community, AS_FACE, menu);
  const sent = await ada.submits(asked, { image: await aPicture('beach.png') });
  const made = await sent.replyWhere(({ attachments }) => attachments.length === 1);

  expect(menu.flags.ephemeral).toBe(true);
  expect(made.text).toContain(`made for <@${ada.id}>`);
  expect(made.id).not.toBe(result.id);
});

test("the menu of a result's message uses the kept result, wherever its file is shown", async () => {
  const community = await useResult();
  const { ada, result } = community;
  result.entity.body = { ...result.entity.body, attachments: [] };

  const menu = await opens(community, result);
  const asked = await presses(community, AS_FACE, menu);
  const sent = await ada.submits(asked, { image: await aPicture('beach.png') });

  await sent.replyWhere(({ attachments }) => attachments.length === 1);
});

test('the button and the form report that a result is no longer kept', async () => {
  const community = await useResult();
  const { ada, general, result, dataDir } = community;
  const menu = await (await presses(community, BUTTON, result)).replied();
  const asked = await presses(community, AS_FACE, menu);
  for (const name of await readdir(join(dataDir, 'results'))) await rm(join(dataDir, 'results', name));

  const pressed = await (await ada.presses(BUTTON, { on: result })).replied();
  const sent = await ada.submits(asked, { image: await aPicture('beach.png') });
  const told = await sent.followUpWhere(() => true);

  for (const reply of [pressed, told]) {
    expect(reply.flags.ephemeral).toBe(true);
    expect(reply.text).toContain('no longer kept');
  }
  expect(general.messages).toHaveLength(1);
});
