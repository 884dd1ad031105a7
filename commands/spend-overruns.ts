import { CARD_ACTIONS } from '../src/discord/replies/card-buttons.ts';
import type { CommandCall, CommandResult, CommandServices, Component } from '../src/discord/command.ts';
import { overrunsText } from '../src/discord/replies/overruns-reply.ts';
import { doneReply, sentenceReply } from '../src/discord/replies/replies.ts';

const NOTHING_WAITS = 'Nothing of that member waits for a look any more.';

/** Those who manage the budget have looked at a member's charge: the card shows that the job goes on. */
export const overrunButton: Component = {
  action: CARD_ACTIONS.overrun,
  answer: 'private',
  async execute({ origin, args: [userId = ''] }, services) {
    return release(origin, userId, services);
  },
};

/** `/spend overruns`: lists them, or lets a member's jobs go on. */
export async function overruns(
  { origin, texts }: CommandCall,
  services: CommandServices,
): Promise<CommandResult> {
  const userId = texts.get('release');
  if (userId !== undefined) return release(origin, userId, services);
  return doneReply('Charged above what was set aside', overrunsText(await services.overruns.show(origin)));
}

async function release(
  origin: CommandCall['origin'],
  userId: string,
  services: Pick<CommandServices, 'overruns'>,
): Promise<CommandResult> {
  const isNew = await services.overruns.clear(origin, userId);
  if (!isNew) return { kind: 'reply', reply: sentenceReply(NOTHING_WAITS) };
  return doneReply('They go on', `Jobs of <@${userId}> start again.`);
}
