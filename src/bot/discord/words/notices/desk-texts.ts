import { NOTHING_CHARGED } from '../texts.ts';
import type { DeskRefusal } from '../../../jobs/desk/desk-refused.ts';
import type { TookBack } from '../../../jobs/desk/desk-outcomes.ts';

/** Explains why a request about a job was refused, and what to do instead. */
export const DESK_REFUSALS: Readonly<Record<DeskRefusal, string>> = {
  not_found: 'There is no such job in this server, or it was deleted.',
  not_yours: 'Only whoever asked for this, or a moderator, can do that.',
  not_the_asker: 'Only whoever asked for this can say yes to its price. A moderator can cancel it.',
  overrun_unseen:
    'An earlier charge of yours was far above the amount set aside for it. Somebody who manages the budget of this server, or the operator of the bot, must review it first.',
  still_running: 'This is still running. Wait until it ends, or cancel it first.',
  ended: 'This has ended already. You can still delete it.',
  pointless: 'The same files would be refused again. Send the command with other files.',
  already_retrying: 'Another try of this is under way already.',
  inputs_gone: 'Its files are not kept any more. Attach them again in a new command.',
  no_result: 'There is no result here that could be reported.',
};

const RUNS_ON =
  'The service had it already: it runs to its end there and is billed. Its result will be neither shown nor kept.';
const UNSENT = `Nothing had been sent to the service yet. ${NOTHING_CHARGED}`;
const KEPT_MESSAGE =
  "Discord doesn't let the bot take its message away here, so a moderator has to delete that.";

/** The reply to a member who confirms a price for the second time. */
export const CONFIRMED_BEFORE = 'You have said yes to this already. It is on its way.';

/** Explains what happened to a cancelled or deleted job, including whether it is billed. */
export function tookBackText(done: 'Cancelled' | 'Deleted', { when, isMessageGone }: TookBack): string {
  const happened = {
    before_sending: `**${done}.** ${UNSENT}`,
    at_service: `**${done}.** ${RUNS_ON}`,
    ended: `**${done}.** Its message and its files are gone.`,
  }[when];
  if (isMessageGone) return happened;
  return when === 'ended'
    ? `**${done}.** Its files are gone. ${KEPT_MESSAGE}`
    : `${happened}\n${KEPT_MESSAGE}`;
}

/** Returns the reply to a report. */
export function reportedText(isNew: boolean): string {
  return isNew
    ? 'Thank you. The moderators of this server, or whoever runs this bot, will look at it.'
    : 'You have reported this already. It will be looked at.';
}
