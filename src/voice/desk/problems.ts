import { DeadlineError } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { LiveError } from '../../live/live-error.ts';

/** Why a line could not be had, for its member; and whether another try may help. */
export interface LineProblem {
  readonly problem: string;
  readonly isLasting: boolean;
}

const TEXTS: Readonly<Record<LiveError['code'], string>> = {
  refused: 'This is not possible here just now. Look at `/budget show`, or ask an admin.',
  unpaid:
    "The bot's own account at the media service is used up for now. Whoever runs this bot has been told.",
  no_capacity: 'The media service has no room for another voice just now.',
  unreachable: 'The media service cannot be reached just now.',
  rejected: 'The media service does not take this voice. Choose another one.',
};

const LASTING: ReadonlySet<string> = new Set(['refused', 'unpaid', 'rejected']);

/** What to tell a member whose line could not be opened. */
export function problemOf(error: unknown): LineProblem {
  const told = error instanceof ServiceError ? error.userMessage : undefined;
  if (error instanceof DeadlineError) return { problem: TEXTS.unreachable, isLasting: false };
  if (!(error instanceof LiveError)) {
    return { problem: told ?? 'Something went wrong at our end.', isLasting: false };
  }
  return { problem: told ?? TEXTS[error.code], isLasting: LASTING.has(error.code) };
}

export const GRANTED_TIME_USED = 'The time that the media service granted is used up. Join again to go on.';
export const LINE_LOST = 'The connection to the media service broke.';
export const LOST_TOO_OFTEN = 'The connection to the media service broke several times. Join again to go on.';
