import { unreachable } from '../../../../base/errors.ts';
import type { Refusal } from '../../../jobs/intake/refusals.ts';
import { momentText } from '../texts.ts';
import { accessNotice } from './access-notice.ts';
import { budgetNotice } from './budget-notice.ts';
import { inputNotice } from './input-notice.ts';
import { type Notice, notice } from './notice.ts';

/** Explains why a command was not accepted. */
export function refusalNotice(refusal: Refusal): Notice {
  switch (refusal.reason) {
    case 'budget':
      return budgetNotice(refusal, refusal.cap);
    case 'input':
      return inputNotice(refusal.option, refusal.problem);
    case 'busy':
      return {
        title: 'Busy right now',
        happened: 'There is more work waiting than can be done soon.',
        next: 'Try again in a few minutes.',
      };
    case 'already_retrying':
      return notice('Already under way', 'Another try of this is under way.', 'Wait until it ends.');
    case 'access':
      return accessNotice(refusal.access);
    case 'switched_off':
      return notice(
        'Switched off',
        'The media service has this feature switched off at the moment.',
        `It is checked again ${momentText(refusal.againAtMs, 'R')}: try it then.`,
      );
    case 'paused':
      return notice(
        'Taking a break',
        refusal.paused === 'everything'
          ? 'Whoever runs this bot has paused it for now. What was already running goes on to its end.'
          : 'Whoever runs this bot has paused it for this server. What was already running goes on to its end.',
        'Try again later.',
      );
    case 'account_empty':
      return notice(
        'Not possible right now',
        "This cannot start: the bot's own account at the media service is used up for now. This is not your server's budget.",
        'Whoever runs this bot has been told. Try again later.',
      );
    default:
      return unreachable(refusal);
  }
}
