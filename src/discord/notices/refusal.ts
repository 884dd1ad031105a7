import { unreachable } from '../../base/errors.ts';
import { formatUsd } from '../../base/money.ts';
import type { Refusal } from '../../jobs/refusals.ts';
import type { CapView } from '../../ledger/cap.ts';
import { PERIOD_NAMES, momentText } from '../replies/texts.ts';
import { accessNotice } from './access.ts';
import { inputNotice } from './input.ts';
import { type Notice, notice } from './notice.ts';

/** Why a command was not taken on. */
export function refusalNotice(refusal: Refusal): Notice {
  switch (refusal.reason) {
    case 'budget':
      return budgetNotice(refusal.needed, refusal.cap);
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
    default:
      return unreachable(refusal);
  }
}

function budgetNotice(needed: CapView['limit'], cap: CapView): Notice {
  const name = `${PERIOD_NAMES[cap.period].adjective} budget`;
  const left = `This server has **${formatUsd(cap.left)}** of its ${name} of **${formatUsd(cap.limit)}** left.`;
  return {
    title: `Not enough of the ${name} left`,
    happened: `This costs about **${formatUsd(needed)}**. ${left}`,
    next: needed > cap.limit ? MORE_THAN_ALL : whenNext(cap.resetsAtMs),
  };
}

const MORE_THAN_ALL =
  'That is more than the whole budget, so whoever runs this bot would have to raise it first.';

function whenNext(resetsAtMs: number | null): string {
  if (resetsAtMs === null) return 'The budget does not reset. Whoever runs this bot can raise it.';
  const resets = `${momentText(resetsAtMs, 'F')} (${momentText(resetsAtMs, 'R')})`;
  return `The budget resets on ${resets}. Whoever runs this bot can raise it sooner.`;
}
