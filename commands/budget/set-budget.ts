import { readDollars } from '../../src/base/read-dollars.ts';
import { formatUsd } from '../../src/base/money.ts';
import type { CommandCall, CommandResult, CommandServices } from '../../src/bot/discord/command.ts';
import { amountProblemText } from '../../src/bot/discord/words/notices/amount-problem-text.ts';
import { capName, capUsed, upperFirst } from '../../src/bot/discord/words/notices/cap-name.ts';
import { listedCapText } from '../../src/bot/discord/words/replies/cap-text.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';
import { PERIOD_NAMES } from '../../src/bot/discord/words/texts.ts';
import { capKeyOf } from './cap-options.ts';
import type { AdminCapKey } from '../../src/bot/money/budgets/admin-cap-key.ts';
import type { CapChanged } from '../../src/bot/money/budgets/cap-changed.ts';

const NOBODY =
  'Nothing was changed: choose one role or one member, not both. Whoever is gone must be picked from the list.';

/** `/budget set` sets one budget, which replaces any earlier budget for the same target and period. */
export async function setBudget(call: CommandCall, { budgets }: CommandServices): Promise<CommandResult> {
  const key = capKeyOf(call);
  if (key === null) return said(NOBODY);
  const read = readDollars(call.texts.get('amount') ?? '');
  if ('problem' in read) return said(amountProblemText('amount', read.problem));
  const changed = await budgets.set(call.origin, { ...key, limit: read.amount });
  return doneReply('Budget set', setText(changed));
}

/** `/budget clear` removes one budget. */
export async function clearBudget(call: CommandCall, { budgets }: CommandServices): Promise<CommandResult> {
  const key = capKeyOf(call);
  if (key === null) return said(NOBODY);
  const changed = await budgets.clear(call.origin, key);
  if (changed.before === null) {
    return said('Nothing was changed: there is no such budget. See all of them with `/budget show`.');
  }
  return doneReply('Budget taken back', clearedText(key, changed));
}

function setText({ before, now, replaced }: CapChanged): string {
  if (now === null) throw new TypeError('Cannot show a budget that was set: there is none');
  const { cap, view } = now;
  const lines = [listedCapText(now), ''];
  if (before === cap.limit) lines.push('It was that already.');
  else if (before !== null) lines.push(`Before, it was **${formatUsd(before)}**.`);
  if (replaced !== null) {
    lines.push(
      `It counts in place of the usual ${PERIOD_NAMES[replaced.period].adjective} **${formatUsd(replaced.limit)}**.`,
    );
  }
  if (view !== null && capUsed(view) >= cap.limit && cap.limit > 0) {
    lines.push('Nothing of it is left: what is running goes on, and nothing new starts.');
  }
  return lines.join('\n').trim();
}

function clearedText(key: AdminCapKey, { before, usual }: CapChanged): string {
  const was = before === null ? '' : ` It was **${formatUsd(before)}**.`;
  const lines = [`${upperFirst(capName(key, 'server'))} does not count any more.${was}`];
  if (usual !== null) lines.push('', 'What counts from now on:', listedCapText(usual));
  return lines.join('\n');
}

function said(sentence: string): CommandResult {
  return { kind: 'reply', reply: sentenceReply(sentence) };
}
