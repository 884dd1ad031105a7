import { derivedId } from '../../../../base/ids.ts';
import type { MessageBody, SeenMessage } from '../../wire/message-calls.ts';
import { budgetAlertNotice, operatorAlertNotice, overrunAlertNotice } from '../notices/alert-notices.ts';
import type { Notice } from '../notices/notice.ts';
import { COLOURS, messageBody, noticeEmbed } from './replies.ts';
import type { BudgetAlert } from '../../../money/alerts/budget-alert.ts';
import type { OverrunAlert } from '../../../money/alerts/overrun-alert.ts';
import type { OperatorNote } from '../../../people/operator/operator-alert.ts';

/** Returns the nonce by which Discord recognises a repeated message for a few minutes. */
export function alertNonce(alertId: string): string {
  return derivedId('alert', alertId).slice(-25);
}

/** Returns whether a message belongs to this alert. It compares the footer, because Discord forgets nonces. */
export function isAlert(alertId: string, message: SeenMessage): boolean {
  return message.footer === alertReference(alertId);
}

/** Returns a budget alert as a message for a server's admins. */
export function budgetAlertBody(alert: BudgetAlert): MessageBody {
  return alertBody(alert.id, budgetAlertNotice(alert), alert.percent === 100);
}

/** Returns an alert about a pending review as a message for a server's admins. */
export function overrunAlertBody(alert: OverrunAlert): MessageBody {
  return alertBody(alert.id, overrunAlertNotice(alert), true);
}

/** Returns an alert as a message for the operator. */
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
