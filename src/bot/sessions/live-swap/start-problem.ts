import { DeadlineError } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { formatUsd } from '../../../base/money.ts';
import { SessionError, type SessionErrorCode } from '../session-error.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';

const TEXTS: Readonly<Record<SessionErrorCode, string>> = {
  refused: 'This is not possible just now. Look at /budget show, or ask an admin.',
  already_on:
    'You are live already, elsewhere. End that first, with /live stop or by closing its page. If the bot has just come back, wait half a minute.',
  unpaid:
    "The bot's own account at the media service is used up for now. Whoever runs this bot has been told.",
  no_capacity: 'The media service has no room for another one just now. Try again in a minute.',
  unreachable: 'The media service cannot be reached just now. Nothing was charged. Try again in a minute.',
  rejected: 'The media service does not offer this just now. Nothing was charged.',
};
const NOT_TAKEN =
  'The media service did not take the prompt or the picture. If you gave a picture, it must show one face clearly. Use /live start again with another one. Nothing was charged.';
const BROKEN = 'Something went wrong at our end. Nothing was charged. Try again in a minute.';

/** Returns an explanation, without formatting, of why a member's session could not be started. */
export function startProblem(error: unknown): string {
  if (error instanceof DeadlineError) return TEXTS.unreachable;
  if (error instanceof SessionError) {
    const { refusal, cause } = error;
    if (refusal?.by === 'cap') return beyondBudget(formatUsd(refusal.needed));
    if (cause instanceof MediaApiRefusal && cause.code === 'invalid_input') return NOT_TAKEN;
    return error.code === 'refused' ? (error.userMessage ?? TEXTS.refused) : TEXTS[error.code];
  }
  if (error instanceof ServiceError && error.userMessage !== undefined)
    return error.userMessage.replaceAll('`', '');
  return BROKEN;
}

function beyondBudget(needed: string): string {
  return `${needed} of the budget must be set aside for it, which is more than is left. See /budget show, or use /live start with fewer minutes.`;
}
