import { ZERO, addMicros, formatUsd } from '../../../../base/money.ts';
import type { ShortCap } from '../../../jobs/cards.ts';
import type { CapKey, CapView } from '../../../money/caps/cap.ts';
import { GATED_NAMES, PERIOD_NAMES, momentText } from '../texts.ts';

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(GATED_NAMES));

/** Returns the name of a capability. For a capability that this program does not know, it returns the API's name. */
export function capabilityName(capability: string): string {
  return NAMES.get(capability) ?? capability;
}

/**
 * The fields of a cap from which its name is made. `ShortCap` lacks the limited member's id, which text for that member
 * does not need.
 */
type NamedCap = CapKey | ShortCap;

/**
 * Returns the name of a cap for use within a sentence, such as "this server's daily budget for Video Swap". If `to` is
 * `member`, a member's own budget is "your daily budget"; if it is `server`, the name states whose budget it is. The
 * name may contain mentions, which titles do not render.
 */
export function capName(key: NamedCap, to: 'member' | 'server' = 'member'): string {
  const { target } = key;
  const name = plainName(key);
  switch (target.kind) {
    case 'operator':
      return `this server's ${PERIOD_NAMES[key.period].adjective} allowance`;
    case 'default':
    case 'guild':
      return `this server's ${name}`;
    case 'role':
      return to === 'member'
        ? `your ${name} as <@&${target.roleId}>`
        : `the ${name} of each member with <@&${target.roleId}>`;
    case 'member':
      return to === 'member'
        ? `your ${name}`
        : `the ${name} of ${memberText('userId' in target ? target.userId : '')}`;
    default:
      return target satisfies never;
  }
}

/**
 * Returns the name of a cap for places that do not render mentions, such as titles: "the daily budget for Video
 * Swap", "your weekly budget".
 */
export function capTitle(key: NamedCap): string {
  const { kind } = key.target;
  return `${kind === 'role' || kind === 'member' ? 'your' : 'the'} ${plainName(key)}`;
}

/** Returns text such as "**$0.05** of **$0.30** left (**$0.02** is set aside for what is running)". */
export function capStand({ left, limit, pending }: CapView): string {
  const aside = pending === ZERO ? '' : ` (**${formatUsd(pending)}** is set aside for what is running)`;
  return `**${formatUsd(left)}** of **${formatUsd(limit)}** left${aside}`;
}

/** Returns the amount that counts against a cap in its window: the sum of what is charged and what is held. */
export function capUsed({ posted, pending }: Pick<CapView, 'posted' | 'pending'>): CapView['posted'] {
  return addMicros(posted, pending);
}

/** Returns a sentence that states when the cap resets. */
export function resetText({ resetsAtMs }: Pick<CapView, 'resetsAtMs'>): string {
  return resetsAtMs === null
    ? 'It never resets.'
    : `It resets ${momentText(resetsAtMs, 'F')} (${momentText(resetsAtMs, 'R')}).`;
}

/** Returns a sentence that states who can raise the cap, and how. */
export function raiseText({ target }: Pick<NamedCap, 'target'>): string {
  switch (target.kind) {
    case 'operator':
      return 'Only whoever runs this bot can raise it.';
    case 'default':
      return 'An admin can set another one with `/budget set`.';
    case 'guild':
    case 'role':
    case 'member':
      return 'An admin can raise it with `/budget set`.';
    default:
      return target satisfies never;
  }
}

/** Returns a mention, or a description for a member whose data was deleted and whose id is therefore a pseudonym. */
export function memberText(userId: string): string {
  return /^\d+$/.test(userId) ? `<@${userId}>` : 'a member who deleted their data';
}

/** Returns a distinct name for each member who deleted their data. */
export function goneName(pseudonym: string): string {
  return `Member who deleted their data (${pseudonym.slice(-6)})`;
}

/** Returns the text with its first letter in upper case, for the start of a sentence. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a phrase such as "daily budget for Video Swap". */
function plainName({ capability, period }: NamedCap): string {
  const name = `${PERIOD_NAMES[period].adjective} budget`;
  return capability === null ? name : `${name} for ${capabilityName(capability)}`;
}
