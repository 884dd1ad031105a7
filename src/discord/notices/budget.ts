import { ZERO, formatUsd } from '../../base/money.ts';
import type { ShortCap } from '../../jobs/cards.ts';
import type { CapView } from '../../ledger/cap.ts';
import { capName, capStand, capTitle, raiseText, resetText, upperFirst } from './caps.ts';
import { type Notice, notice } from './notice.ts';

/** Why something that costs about `needed` is not begun: which cap it does not fit, and what can be done. */
export function budgetNotice(needed: CapView['limit'], cap: CapView): Notice {
  if (cap.limit === ZERO) return nothingToSpend(needed, cap);
  const isBeyond = needed > cap.limit;
  return notice(
    `Not enough of ${capTitle({ ...cap, capability: null })} left`,
    `This needs about **${formatUsd(needed)}**. ${upperFirst(capName(cap))} has ${capStand(cap)}.`,
    isBeyond
      ? `That is more than all of it, so waiting does not help. ${raiseText(cap)}`
      : `${resetText(cap)} ${raiseText(cap)}`,
  );
}

/** Where nobody set a budget, and the operator's default is none, or where it is set to nothing. */
function nothingToSpend(needed: CapView['limit'], cap: CapView): Notice {
  const cost = `This needs about **${formatUsd(needed)}**`;
  switch (cap.target.kind) {
    case 'default':
      return notice(
        'No budget yet',
        `${cost}, and nobody has set a budget for this server yet.`,
        'An admin can set one with `/budget set`.',
      );
    case 'operator':
      return notice(
        'Nothing to spend here',
        `${cost}, and whoever runs this bot has not let this server spend anything.`,
        raiseText(cap),
      );
    case 'guild':
    case 'role':
    case 'member':
      return notice(
        'Nothing to spend',
        `${cost}, and ${capName(cap)} is **${formatUsd(ZERO)}**.`,
        raiseText(cap),
      );
    default:
      return cap.target satisfies never;
  }
}

/**
 * Why a job that was begun needs more than there is, now that its files are known (`cap` null: of which budget is not
 * known any more). Everybody in the channel reads it: how much a member has left of their own is not in it.
 */
export function outgrownNotice(needed: CapView['limit'], cap: ShortCap | null): Notice {
  const title = 'Not enough budget left';
  const needs = `With files of this length it needs about **${formatUsd(needed)}**`;
  const shorter = 'Use a shorter video or recording, or see `/budget show` for what is left.';
  if (cap === null) return notice(title, `${needs}, which is more than is left.`, shorter);
  const isPersonal = cap.target.kind === 'role' || cap.target.kind === 'member';
  const left = isPersonal ? 'is' : `the **${formatUsd(cap.left)}**`;
  const resets = needed > cap.limit ? '' : `${resetText(cap)} `;
  return notice(
    title,
    `${needs}, which is more than ${left} left of ${capName(cap)}.`,
    `${shorter} ${resets}${raiseText(cap)}`,
  );
}
