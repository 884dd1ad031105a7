import { useAvatar } from '../../../commands/menus/use-avatar.ts';
import { useInASwap } from '../../../commands/menus/use-in-a-swap.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, useCommunity } from '../../helpers/use-community.ts';

type Place = Omit<Community, 'bot'>;

export const AS_PICTURE = 'Photo Swap: as the picture';
export const AS_FACE = 'Photo Swap: as the face';

/**
 * Creates a community whose bot has its message menus. The test registers them directly, because Discord limits how
 * often a bot may register commands.
 */
export async function useMenus(clock: Clock = systemClock): Promise<Community> {
  // The service puts times in its webhooks, so it uses the same clock as the bot.
  const community = await useCommunity({ bot: { registerCommands: 'never', clock }, media: { clock } });
  offerMenus(community);
  return community;
}

export function offerMenus({ sandbox }: Place): void {
  for (const { data } of [useInASwap, useAvatar]) sandbox.addCommand(data);
}

/** Creates a small picture, as a member would choose it. */
export async function aPicture(name: string): Promise<{ name: string; bytes: Buffer }> {
  return { name, bytes: await picture(200) };
}

/** Posts a message with these files as Ben. */
export async function posts({ guild, general }: Place, ...names: string[]): Promise<MessageView> {
  const ben = guild.addMember('Ben');
  const files = await Promise.all(names.map(aPicture));
  return ben.says('Look at this', { in: general, files });
}

/** Opens a message's menu as Ada. Returns the bot's answer. */
export async function opens({ ada, general }: Place, on: MessageView): Promise<MessageView> {
  return (await ada.runsOn('Use in a swap', on, { in: general })).replied();
}

/** Presses a button as Ada. Returns the interaction once the bot has acknowledged it. */
export async function presses({ ada }: Place, button: string, on: MessageView): Promise<UseOfBot> {
  return (await ada.presses(button, { on })).acknowledged();
}
