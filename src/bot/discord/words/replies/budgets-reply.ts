import { clockTime } from '../../../../base/time-zone.ts';
import type { MessageBody } from '../../wire/message-calls.ts';
import { budgetSettingsText } from './budget-settings-text.ts';
import { button, buttonRow } from './buttons.ts';
import { capText, listedCapText } from './cap-text.ts';
import { COLOURS, messageBody } from './replies.ts';
import type { BudgetsShown } from '../../../money/budgets/budgets-shown.ts';

/** The action of the buttons that turn pages; in the custom id, it is followed by the kind of list and the page. */
export const BUDGET_PAGE_ACTION = 'budget';

/**
 * Each entry has at most 250 characters including its heading, so a page with the settings stays well below Discord's
 * limit of 4,096 characters.
 */
const SHOWN_PER_PAGE = 8;

interface Line {
  readonly section: string;
  readonly text: string;
}

/** Shows the budgets of the server and of the caller. Budget managers see all budgets, page by page. */
export function budgetsReply(shown: BudgetsShown, page: number, nowMs: number): MessageBody {
  const lines = linesOf(shown);
  const pages = Math.max(1, Math.ceil(lines.length / SHOWN_PER_PAGE));
  const at = Math.min(Math.max(page, 0), pages - 1);
  const visible = lines.slice(at * SHOWN_PER_PAGE, (at + 1) * SHOWN_PER_PAGE);
  const { timeZone } = shown.settings;
  const clock = `By the clocks of **${timeZone}**, now ${clockTime(timeZone, nowMs)}.`;
  const below = [
    shown.isManager ? budgetSettingsText(shown.settings, nowMs) : clock,
    ...operatorClock(shown),
  ].join('\n');
  const embed = {
    color: COLOURS.working,
    title: pages === 1 ? 'Budgets' : `Budgets, page ${at + 1} of ${pages}`,
    description: `${sectionsText(visible)}\n\n${below}`,
  };
  return messageBody(embed, '', pageButtons('show', { page: at, hasMore: at < pages - 1 }));
}

/**
 * Names the operator's time zone if it differs from the one that the admins chose, because the operator's limits do not
 * follow the admins' time zone.
 */
function operatorClock({ guild, settings }: BudgetsShown): readonly string[] {
  const { timeZone, operatorTimeZone } = settings;
  const names = [
    ...(guild.some(({ target }) => target.kind === 'operator') ? ['allowance'] : []),
    ...(guild.some(({ target }) => target.kind === 'default') ? ['usual budget'] : []),
  ];
  if (timeZone === operatorTimeZone || names.length === 0) return [];
  return [
    `The ${names.join(' and the ')} ${names.length === 1 ? 'follows' : 'follow'} the clocks of **${operatorTimeZone}**.`,
  ];
}

/** Returns the buttons that turn the pages of a list, if it has several. */
export function pageButtons(
  what: 'show' | 'history',
  { page, hasMore }: { readonly page: number; readonly hasMore: boolean },
): MessageBody['components'] {
  const turn = (to: number, label: string): ReturnType<typeof button> =>
    button('secondary', label, BUDGET_PAGE_ACTION, what, String(to));
  const [back, on] = what === 'history' ? ['Newer', 'Older'] : ['Previous', 'Next'];
  const buttons = [...(page > 0 ? [turn(page - 1, back)] : []), ...(hasMore ? [turn(page + 1, on)] : [])];
  return buttons.length === 0 ? [] : [buttonRow(...buttons)];
}

function linesOf({ guild, own, others }: BudgetsShown): readonly Line[] {
  return [
    ...guild.map((view) => ({ section: 'This server', text: capText(view) })),
    ...own.map((view) => ({ section: 'You', text: capText(view) })),
    ...others.map((cap) => ({ section: 'Roles and members', text: listedCapText(cap) })),
  ];
}

function sectionsText(lines: readonly Line[]): string {
  return lines
    .map(({ section, text }, at) => (lines[at - 1]?.section === section ? text : `### ${section}\n${text}`))
    .join('\n');
}
