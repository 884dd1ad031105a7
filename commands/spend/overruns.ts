import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord.js';
import { CARD_ACTIONS } from '../../src/bot/discord/words/replies/card-buttons.ts';
import type {
  Choice,
  CommandCall,
  CommandResult,
  CommandServices,
  CompletionCall,
  Component,
} from '../../src/bot/discord/command.ts';
import { overrunsText } from '../../src/bot/discord/words/replies/overruns-reply.ts';
import { goneName, memberText } from '../../src/bot/discord/words/notices/cap-name.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';

/** The option for a member who deleted their data. Discord's own options cannot offer such a member. */
export const GONE_MEMBER: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.String,
  name: 'gone',
  description: 'The same for a member who deleted their data; pick it from the list',
  max_length: 60,
  autocomplete: true,
};

const PSEUDONYM = /^gone_\w{1,40}$/;
const NOTHING_WAITS = 'No jobs of that member wait for a review.';

/**
 * The button that a budget manager presses after reviewing a member's charge. The member's waiting jobs then continue,
 * and their cards show that.
 */
export const overrunButton: Component = {
  action: CARD_ACTIONS.overrun,
  answer: 'private',
  async execute({ origin, args: [userId = ''] }, services) {
    return release(origin, userId, services);
  },
};

/** `/spend overruns` lists charges above the amount set aside, or releases a member's waiting jobs. */
export async function overruns(
  { origin, texts }: CommandCall,
  services: CommandServices,
): Promise<CommandResult> {
  const gone = texts.get('gone');
  if (gone !== undefined && !PSEUDONYM.test(gone)) return unknownMember();
  const userId = texts.get('release') ?? gone;
  if (userId !== undefined) return release(origin, userId, services);
  return doneReply('Charges above the amount set aside', overrunsText(await services.overruns.show(origin)));
}

/** Suggests members who deleted their data and have a charge that waits for a review. */
export async function suggestReleases(
  { origin, typed }: CompletionCall,
  { overruns: desk }: CommandServices,
): Promise<readonly Choice[]> {
  const { waiting } = await desk.show(origin);
  const gone = new Set(waiting.map(({ userId }) => userId).filter((userId) => PSEUDONYM.test(userId)));
  return [...gone]
    .map((value) => ({ name: goneName(value), value }))
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
}

function unknownMember(): CommandResult {
  return {
    kind: 'reply',
    reply: sentenceReply('There is no such member. Pick one from the list of `gone`.'),
  };
}

async function release(
  origin: CommandCall['origin'],
  userId: string,
  services: Pick<CommandServices, 'overruns'>,
): Promise<CommandResult> {
  const isNew = await services.overruns.clear(origin, userId);
  if (!isNew) return { kind: 'reply', reply: sentenceReply(NOTHING_WAITS) };
  return doneReply('Released', `Jobs of ${memberText(userId)} start again.`);
}
