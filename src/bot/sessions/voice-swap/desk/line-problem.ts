import { DeadlineError } from '../../../../base/clock.ts';
import { formatUsd } from '../../../../base/money.ts';
import { SessionError } from '../../session-error.ts';

/** Why a line could not be opened, as a message for the member. */
interface LineProblem {
  readonly problem: string;
  /** Whether another attempt is useless. */
  readonly isLasting: boolean;
}

const TEXTS: Readonly<Record<SessionError['code'], string>> = {
  refused: 'This is not possible here just now. Look at `/budget show`, or ask an admin.',
  already_on: 'Another one of yours is on already.',
  unpaid:
    "The bot's own account at the media service is used up for now. Whoever runs this bot has been told.",
  no_capacity: 'The media service has no room for another voice just now.',
  unreachable: 'The media service cannot be reached just now.',
  rejected: 'The media service does not take this voice. Choose another one.',
};

const LASTING: ReadonlySet<string> = new Set(['refused', 'unpaid', 'rejected']);

/** Returns the message for a member whose line could not be opened. */
export function lineProblem(error: unknown): LineProblem {
  if (error instanceof DeadlineError) return { problem: TEXTS.unreachable, isLasting: false };
  if (!(error instanceof SessionError))
    return { problem: 'Something went wrong at our end.', isLasting: false };
  if (error.refusal?.by === 'cap') {
    return { problem: beyondBudget(formatUsd(error.refusal.needed)), isLasting: true };
  }
  return { problem: error.userMessage ?? TEXTS[error.code], isLasting: LASTING.has(error.code) };
}

/**
 * Everybody in the channel can read this message, so it does not reveal how much of the member's own budget is left.
 */
function beyondBudget(needed: string): string {
  return `**${needed}** of the budget must be set aside for it, which is more than is left. See \`/budget show\`, or take fewer minutes.`;
}

export const GRANTED_TIME_USED = 'The time that the media service granted is used up. Join again to go on.';
export const LINE_LOST = 'The connection to the media service broke.';
export const UNANSWERED = 'The media service does not answer.';
export const LOST_TOO_OFTEN = 'The connection to the media service broke several times. Join again to go on.';
