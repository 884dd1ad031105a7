import { formatUsd } from '../../../../base/money.ts';
import type { MessageBody } from '../../wire/message-calls.ts';
import { capName, memberText, upperFirst } from '../notices/cap-name.ts';
import { COLOURS, messageBody } from './replies.ts';
import { momentText } from '../texts.ts';
import { pageButtons } from './budgets-reply.ts';
import type { PastChange, PastChanges } from '../../../money/budgets/past-changes.ts';

/** Shows the changes to budgets, and who made them, newest first. */
export function capHistoryReply(past: PastChanges): MessageBody {
  const { page, changes } = past;
  const title = 'Changes of budgets';
  const embed = {
    color: COLOURS.working,
    title: page === 0 ? title : `${title}, page ${page + 1}`,
    description: changes.length === 0 ? 'Nothing was changed yet.' : changes.map(lineOf).join('\n'),
  };
  return messageBody(embed, '', pageButtons('history', past));
}

function lineOf({ key, before, after, byUserId, atMs }: PastChange): string {
  const who = key.target.kind === 'operator' ? 'whoever runs this bot' : memberText(byUserId);
  const cap = upperFirst(capName(key, 'server'));
  return `• ${cap}: ${changeText(before, after)} · ${who} · ${momentText(atMs, 'f')}`;
}

function changeText(before: PastChange['before'], after: PastChange['after']): string {
  const [from, to] = [before, after].map((amount) => (amount === null ? '' : `**${formatUsd(amount)}**`));
  if (after === null) return `taken back, was ${from}`;
  return before === null ? `set to ${to}` : `${from} → ${to}`;
}
