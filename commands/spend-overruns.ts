import { CARD_ACTIONS } from '../src/discord/replies/card-buttons.ts';
import type { CommandCall, CommandResult, CommandServices, Component } from '../src/discord/command.ts';
import { overrunsText } from '../src/discord/replies/overruns-reply.ts';
import { doneReply, sentenceReply } from '../src/discord/replies/replies.ts';

const NOTHING_WAITS = 'No jobs of that member wait for a review.';

/**
 * A budget manager presses it after reviewing a member's charge. The member's job then goes on, and its card shows
 * that.
 */
export const overrunButton: Component = {
  action: CARD_ACTIONS.overrun,
  answer: 'private',
  async execute({ origin, args: [userId = ''] }, services) {
    return release(origin, userId, services);
  },
};

/** `/spend overruns`: lists charges above the amount set aside, or releases a member's waiting jobs. */
export async function overruns(
  { origin, texts }: CommandCall,
  services: CommandServices,
): Promise<CommandResult> {
  const userId = texts.get('release');
  if (userId !== undefined) return release(origin, userId, services);
  return doneReply('Charges above the amount set aside', overrunsText(await services.overruns.show(origin)));
}

async function release(
  origin: CommandCall['origin'],
  userId: string,
  services: Pick<CommandServices, 'overruns'>,
): Promise<CommandResult> {
  const isNew = await services.overruns.clear(origin, userId);
  if (!isNew) return { kind: 'reply', reply: sentenceReply(NOTHING_WAITS) };
  return doneReply('Released', `Jobs of <@${userId}> start again.`);
}
