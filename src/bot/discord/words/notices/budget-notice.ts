import { ZERO, addMicros, formatUsd } from '../../../../base/money.ts';
import type { InputLength, NeededLengths, ShortCap } from '../../../jobs/cards.ts';
import type { NeededAmounts } from '../../../jobs/intake/refusals.ts';
import type { CapView } from '../../../money/caps/cap.ts';
import { aboutText, durationText } from '../texts.ts';
import { capName, capStand, capTitle, raiseText, resetText, upperFirst } from './cap-name.ts';
import { type Notice, notice } from './notice.ts';

const BEYOND = 'More must be set aside than all of it, so waiting does not help.';

/**
 * Explains why something cannot start: the expected cost, the amount to hold, the cap that is too low, and what to
 * do.
 */
export function budgetNotice(amounts: NeededAmounts, cap: CapView): Notice {
  if (cap.limit === ZERO) return nothingToSpend(amounts, cap);
  return notice(
    `Not enough of ${capTitle({ ...cap, capability: null })} left`,
    `${needsText(amounts)}. ${upperFirst(capName(cap))} has only ${capStand(cap)}.`,
    waitText(amounts, cap),
  );
}

/**
 * Explains that nothing may be spent: nobody set a budget and the operator's default is zero, or the budget is zero.
 */
function nothingToSpend(amounts: NeededAmounts, cap: CapView): Notice {
  const needs = needsText(amounts);
  switch (cap.target.kind) {
    case 'default':
      return notice(
        'No budget yet',
        `${needs}. Nobody has set a budget for this server yet.`,
        'An admin can set one with `/budget set`.',
      );
    case 'operator':
      return notice(
        'Nothing to spend here',
        `${needs}. Whoever runs this bot has not let this server spend anything.`,
        raiseText(cap),
      );
    case 'guild':
    case 'role':
    case 'member':
      return notice(
        'Nothing to spend',
        `${needs}. ${upperFirst(capName(cap))} is **${formatUsd(ZERO)}**.`,
        raiseText(cap),
      );
    default:
      return cap.target satisfies never;
  }
}

/**
 * Explains why an accepted job needs more than is available, now that its files have been measured. `cap` is null if
 * the cap is no longer known. Everybody in the channel can read the notice, so it does not state how much is left of a
 * member's own budget.
 */
export function outgrownNotice(amounts: NeededLengths, cap: ShortCap | null): Notice {
  const title = 'Not enough budget left';
  const needs = [...lengthTexts(amounts.lengths), needsText(amounts)].join(' ');
  const shorter = 'Use a shorter video, recording or script, or see `/budget show` for what is left.';
  if (cap === null) return notice(title, `${needs}, which is more than is left.`, shorter);
  const isPersonal = cap.target.kind === 'role' || cap.target.kind === 'member';
  const left = isPersonal ? 'is' : `the **${formatUsd(cap.left)}**`;
  return notice(
    title,
    `${needs}, which is more than ${left} left of ${capName(cap)}.`,
    `${shorter} ${waitText(amounts, cap)}`,
  );
}

/** Returns text such as "This should cost about **$0.14**; until it is done, **$0.40** must be set aside". */
function needsText({ price, needed }: NeededAmounts): string {
  const aside = `**${formatUsd(needed)}** must be set aside`;
  return price === null
    ? `Until this is done, ${aside} for it`
    : `This should cost **${aboutText(price)}**; until it is done, ${aside}`;
}

/** Explains whether waiting helps, how long to wait, and who can raise the cap. */
function waitText({ needed }: NeededAmounts, cap: CapView | ShortCap): string {
  if (needed > cap.limit) return [BEYOND, raiseText(cap)].join(' ');
  const isEnoughAside = cap.pending > ZERO && addMicros(cap.left, cap.pending) >= needed;
  return [
    ...(isEnoughAside
      ? ['When the running jobs end, what they do not cost comes back: try again in a few minutes.']
      : []),
    resetText(cap),
    raiseText(cap),
  ].join(' ');
}

/** Returns sentences such as "`audio` was measured as **2 min 5 s**." */
function lengthTexts(lengths: readonly InputLength[]): readonly string[] {
  return lengths.map(({ of, durationMs }) => {
    const duration = `**${durationText(durationMs)}**`;
    return of === 'speech' ? `The speech should take ${duration}.` : `\`${of}\` was measured as ${duration}.`;
  });
}
