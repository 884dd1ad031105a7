import { expect, test } from 'vitest';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { picture } from '../../media-server/test-engine.ts';
import type { Community } from '../../helpers/use-community.ts';
import { AS_FACE, aPicture, presses, useMenus } from './use-menus.ts';

async function opens({ ada, general }: Community, on: SandboxMember): Promise<MessageView> {
  return (await ada.runsOn('Use avatar in a swap', on, { in: general })).replied();
}

test("a member's own avatar becomes the face of a photo swap", async () => {
  const community = await useMenus();
  const { ada } = community;
  ada.hasAvatar(await picture(90, 64));

  const menu = await opens(community, ada);
  const asked = await presses(community, AS_FACE, menu);
  const sent = await ada.submits(asked, { image: await aPicture('beach.png') });
  const result = await sent.replyWhere(({ attachments }) => attachments.length === 1);

  expect(menu.flags.ephemeral).toBe(true);
  expect(result.text).toContain(`made for <@${ada.id}>`);
});

test("another member's avatar is not used before they allow it, and the reply explains how they can", async () => {
  const community = await useMenus();
  const ben = community.guild.addMember('Ben');
  ben.hasAvatar(await picture(90));

  const reply = await opens(community, ben);

  expect(reply.flags.ephemeral).toBe(true);
  expect(reply.text).toContain(`<@${ben.id}> has not allowed`);
  expect(reply.text).toContain('/face avatar');
  expect(reply.components).toEqual([]);
  expect(reply.mentions).toEqual([]);
});

test('the bot reports that a member has no picture', async () => {
  const community = await useMenus();
  const ben = community.guild.addMember('Ben');

  const own = await opens(community, community.ada);
  const others = await opens(community, ben);

  expect(own.text).toContain('You show no picture');
  expect(others.text).toContain(`<@${ben.id}> shows no picture`);
});
