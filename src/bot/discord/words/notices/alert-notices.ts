import { unreachable } from '../../../../base/errors.ts';
import { type MicroUsd, ZERO, formatUsd, maxMicros, subtractMicros } from '../../../../base/money.ts';
import {
  capName,
  capabilityName,
  capTitle,
  capUsed,
  memberText,
  raiseText,
  resetText,
  upperFirst,
} from './cap-name.ts';
import { type Notice, notice } from './notice.ts';
import type { BudgetAlert } from '../../../money/alerts/budget-alert.ts';
import type { OverrunAlert } from '../../../money/alerts/overrun-alert.ts';
import type { OperatorAlert } from '../../../people/operator/operator-alert.ts';

/**
 * Explains to the admins of a server how much of a budget is charged or held, how much is left, and what they can do.
 */
export function budgetAlertNotice(alert: BudgetAlert): Notice {
  const { limit, posted, pending, percent, target, userId } = alert;
  const left = maxMicros(ZERO, subtractMicros(limit, capUsed(alert)));
  const aside = pending === ZERO ? '' : `, and **${formatUsd(pending)}** is set aside for what is running`;
  const whose = target.kind === 'role' ? `, of which this is about <@${userId}>` : '';
  const isUsedUp = percent === 100;
  return notice(
    isUsedUp
      ? `Nothing is left of ${titleName(alert)}`
      : `${percent} % of ${titleName(alert)} is ${partsText(alert)}`,
    `${upperFirst(capName(alert, 'server'))}${whose}: **${formatUsd(posted)}** of **${formatUsd(limit)}** is charged${aside}. **${formatUsd(left)}** is left. ${resetText(alert)}`,
    [
      ...(isUsedUp ? ['Whatever costs more than is left is refused until then.'] : []),
      raiseText(alert),
      '`/spend` shows what it went to.',
    ].join(' '),
  );
}

/** Held money must not be described as charged. */
function partsText({ posted, pending }: BudgetAlert): string {
  if (pending === ZERO) return 'charged';
  return posted === ZERO ? 'set aside' : 'charged or set aside';
}

function titleName(alert: BudgetAlert): string {
  switch (alert.target.kind) {
    case 'operator':
      return "this server's allowance";
    case 'default':
    case 'guild':
      return capTitle(alert);
    case 'role':
    case 'member':
      return "a member's budget";
    default:
      return unreachable(alert.target);
  }
}

/** Explains whose new jobs are waiting for a review, why, and who can review the charge. */
export function overrunAlertNotice({ userId, capability, held, charged }: OverrunAlert): Notice {
  const who = memberText(userId);
  const option = isMention(who) ? 'release:' : 'gone:';
  return notice(
    'New jobs of a member wait for a review',
    `**${formatUsd(charged)}** was charged for ${capabilityName(capability)} of ${who}, while **${formatUsd(held)}** was set aside. New jobs of that member wait until an admin or somebody who manages the budget has reviewed this charge.`,
    `\`/spend overruns\` shows the charge and its cause. If it is fine, \`/spend overruns ${option}\` lets the member start jobs again.`,
  );
}

function isMention(text: string): boolean {
  return text.startsWith('<@');
}

/** Explains a problem to the operator, and what to do about it. */
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
        `A job for which **${formatUsd(alert.needed)}** must be set aside was refused. ${accountText(alert)}`,
        'Top the account up with the service. Members are told that it is not the fault of their budget.',
      );
    case 'key_refused':
      return notice(
        'The media service refuses the key',
        'It answered that the API key is not valid, so nothing new reaches it. Jobs that were taken on wait.',
        'Put a valid key in place. `/operator pause` keeps members from waiting for nothing until then.',
      );
    case 'other_use':
      return notice(
        'The account at the media service is used by others',
        `**${formatUsd(alert.foreign)}** went to calls that no server made, and ${driftText(alert.drift)}. No server's budget is charged with it.`,
        'If nobody else should have the key, make a new one with the service and revoke this one.',
      );
    case 'overrun':
      return notice(
        'A charge was far above the amount set aside',
        `**${formatUsd(alert.charged)}** was charged for ${capabilityName(alert.capability)} in server \`${alert.guildId}\`, while **${formatUsd(alert.held)}** was set aside. New jobs of that member in that server wait until the charge is reviewed.`,
        '`/operator overruns` shows the charge and its cause, and `/operator release` lets the member start jobs again. Budget managers of the server can do both with `/spend overruns`.',
      );
    case 'charged_failure':
      return notice(
        'The media service charged for a failed job',
        `It took **${formatUsd(alert.charged)}** for a job that failed, though failed jobs are free. It counts in the server's budget until the service takes it back.`,
        `Ask the service about it; the job is \`${alert.jobId}\` in the log.`,
      );
    default:
      return unreachable(alert);
  }
}

function driftText(drift: MicroUsd): string {
  if (drift === ZERO) return 'everything else is accounted for';
  return drift > ZERO
    ? `**${formatUsd(drift)}** more was spent than anything explains`
    : `**${formatUsd(subtractMicros(ZERO, drift))}** less was spent than the servers' jobs should have cost`;
}

function lowText({ balance, threshold }: Extract<OperatorAlert, { kind: 'low_balance' }>): string {
  return balance < threshold
    ? `You are told below **${formatUsd(threshold)}**.`
    : 'That is more than there is.';
}

function accountText({ balance, by }: Extract<OperatorAlert, { kind: 'account_empty' }>): string {
  return by === 'service' || balance === null
    ? 'The service said that its account does not cover that.'
    : `The account holds **${formatUsd(balance)}**.`;
}
