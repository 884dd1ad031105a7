import { derivedId } from '../../../../base/ids.ts';
import type { MessageBody, SeenMessage } from '../../wire/message-calls.ts';
import { budgetAlertNotice, operatorAlertNotice, overrunAlertNotice } from '../notices/alert.ts';
import type { Notice } from '../notices/notice.ts';
import { COLOURS, messageBody, noticeEmbed } from './replies.ts';
import type { BudgetAlert } from '../../../money/alerts/budget-alert.ts';
import type { OverrunAlert } from '../../../money/alerts/overrun-alert.ts';
import type { OperatorNote } from '../../../people/operator/operator-alert.ts';

/** Makes Discord recognise a repeat for some minutes. */
export function alertNonce(alertId: string): string {
  return derivedId('alert', alertId).slice(-25);
}

/** Whether `message` is the one of this alert: recognised by its foot when the nonce is forgotten. */
export function isAlert(alertId: string, message: SeenMessage): boolean {
  return message.footer === alertReference(alertId);
}

/** A budget alert as a message for a community's admins. */
export function budgetAlertBody(alert: BudgetAlert): MessageBody {
  return alertBody(alert.id, budgetAlertNotice(alert), alert.percent === 100);
}

/** A wait for a review as a message for a community's admins. */
export function overrunAlertBody(alert: OverrunAlert): MessageBody {
  return alertBody(alert.id, overrunAlertNotice(alert), true);
}

/** What whoever runs the bot has to see to, as a message for them. */
export function operatorAlertBody({ id, alert }: OperatorNote): MessageBody {
  return alertBody(id, operatorAlertNotice(alert), alert.kind !== 'low_balance');
}

function alertBody(id: string, notice: Notice, isUrgent: boolean): MessageBody {
  const embed = noticeEmbed(notice, '', isUrgent ? COLOURS.failed : COLOURS.refused);
  return messageBody({ ...embed, footer: { text: alertReference(id) } });
}

function alertReference(alertId: string): string {
  return `#${alertNonce(alertId).slice(0, 10)}`;
}
