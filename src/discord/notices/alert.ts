import { unreachable } from '../../base/errors.ts';
import { type MicroUsd, formatUsd, maxMicros, micros, subtractMicros } from '../../base/money.ts';
import type { BudgetAlert } from '../../ledger/alert-ports.ts';
import type { OperatorAlert } from '../../operator/ports.ts';
import { CAPABILITY_NAMES, momentText } from '../replies/texts.ts';
import { type Notice, notice } from './notice.ts';

const ADJECTIVES: Readonly<Record<BudgetAlert['period'], string>> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  total: 'total',
};
const CAPABILITIES: ReadonlyMap<string, string> = new Map(Object.entries(CAPABILITY_NAMES));

/** How far a budget is used, for the admins of a community: which, how much is left, and what they can do. */
export function budgetAlertNotice(alert: BudgetAlert): Notice {
  const { limit, used, percent, resetsAtMs } = alert;
  const left = maxMicros(micros(0), subtractMicros(limit, used));
  const isUsedUp = percent === 100;
  const resets =
    resetsAtMs === null
      ? 'It does not reset by itself.'
      : `It resets on ${momentText(resetsAtMs, 'F')} (${momentText(resetsAtMs, 'R')}).`;
  return notice(
    isUsedUp
      ? `${capitalised(budgetName(alert))} is used up`
      : `${percent} % of ${budgetName(alert)} is used`,
    `${whoseText(alert)}: **${formatUsd(used)}** of **${formatUsd(limit)}** is used, with what is set aside for running jobs. **${formatUsd(left)}** is left. ${resets}`,
    [isUsedUp ? 'Whatever costs more than is left is refused until then.' : '', whatToDo(alert)]
      .filter((sentence) => sentence !== '')
      .join(' '),
  );
}

function budgetName({ period, target, capability }: BudgetAlert): string {
  const what = target.kind === 'operator' ? 'allowance' : 'budget';
  const forWhat = capability === null ? '' : ` for ${CAPABILITIES.get(capability) ?? capability}`;
  return `the ${ADJECTIVES[period]} ${what}${forWhat}`;
}

function whoseText({ target, userId }: BudgetAlert): string {
  switch (target.kind) {
    case 'operator':
      return 'What whoever runs this bot allows this server';
    case 'default':
    case 'guild':
      return "This server's budget";
    case 'role':
      return `What <@${userId}> may spend as <@&${target.id}>`;
    case 'member':
      return `What <@${userId}> may spend`;
    default:
      return unreachable(target.kind);
  }
}

function whatToDo({ target }: BudgetAlert): string {
  const see = '`/spend` shows what it went to.';
  if (target.kind === 'operator') return `Only whoever runs this bot can raise it; ${see}`;
  return `Admins can change it with \`/budget set\`; ${see}`;
}

/** What whoever runs the bot has to see to, and how. */
export function operatorAlertNotice(alert: OperatorAlert): Notice {
  switch (alert.kind) {
    case 'low_balance':
      return notice(
        'The balance at the media service is low',
        `**${formatUsd(alert.balance)}** is left; **${formatUsd(alert.held)}** is set aside for what is under way. ${lowText(alert)}`,
        'Top the account up with the service before jobs are refused. `/operator status` shows who spends most.',
      );
    case 'account_empty':
      return notice(
        'Jobs are refused: the account is used up',
        `A job that costs about **${formatUsd(alert.needed)}** was refused. ${balanceText(alert.balance)}`,
        'Top the account up with the service. Members are told that it is not the fault of their budget.',
      );
    case 'key_refused':
      return notice(
        'The media service refuses the key',
        'It answered that the API key is not valid, so nothing new reaches it. Jobs that were taken on wait.',
        'Put a valid key in place. `/operator pause` keeps members from waiting for nothing until then.',
      );
    default:
      return unreachable(alert);
  }
}

function lowText({ balance, threshold }: Extract<OperatorAlert, { kind: 'low_balance' }>): string {
  return balance < threshold
    ? `You are told below **${formatUsd(threshold)}**.`
    : 'That is more than there is.';
}

function balanceText(balance: MicroUsd | null): string {
  return balance === null
    ? 'The service said that its account does not cover that.'
    : `The account holds **${formatUsd(balance)}**.`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
