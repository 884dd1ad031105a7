import { expect, test } from 'vitest';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { type Community, useCommunity } from '../../../helpers/use-community.ts';

interface Asked extends Community {
  readonly ben: SandboxMember;
  readonly question: MessageView;
}

async function useQuestion(): Promise<Asked> {
  const place = await useCommunity();
  const ben = place.guild.addMember('Ben');
  const use = await ben.runs('/face ask', { in: place.general, options: { member: place.ada } });
  return { ...place, ben, question: await use.replied() };
}

async function asksAgain({ ben, ada, general }: Asked): Promise<string> {
  const use = await ben.runs('/face ask', { in: general, options: { member: ada } });
  return (await use.followUpWhere(() => true)).text;
}

test('asks in the channel, without a ping, and only the requested member can answer', async () => {
  const place = await useQuestion();
  const { ada, ben, question } = place;

  const strangers = await ben.presses('Allow', { on: question });
  const told = await strangers.followUpWhere(() => true);
  await ada.presses('Allow', { on: question });
  await expect.poll(() => question.text).toContain('until that is taken back');

  expect(question.mentions).toEqual([]);
  expect(told.flags.ephemeral).toBe(true);
  expect(told.text).toContain(`Only ${ada.mention} can answer this.`);
  expect(question.components).toEqual([]);
  expect(await asksAgain(place)).toContain('You may use the avatar');
});

test('accepts no for an answer', async () => {
  const { ada, ben, general, question } = await useQuestion();

  await ada.presses('Not now', { on: question });
  await expect.poll(() => question.text).toContain('for now');
  const again = await ben.runs('/face ask', { in: general, options: { member: ada } });

  expect((await again.replied()).text).toContain('would like to use your avatar');
});

test('does not ask a member whose face must never be swapped', async () => {
  const place = await useQuestion();
  const { ada, general } = place;

  await (await ada.runs('/privacy never-swap', { in: general, options: { on: true } })).replied();

  expect(await asksAgain(place)).toContain('Please respect that.');
});
