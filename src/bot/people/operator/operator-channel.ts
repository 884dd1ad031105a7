import type { AlertOutcome } from '../../money/alerts/alert-outcome.ts';
import type { OperatorNote } from './operator-alert.ts';

/** Notifies the operator. `src/bot/discord/cards/discord-alert-channels.ts` implements it. */
export interface OperatorChannel {
  /** Behaves like `BudgetAlertChannel.sendBudgetAlert`. */
  sendOperatorAlert(
    channelId: string,
    note: OperatorNote,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<AlertOutcome>;
}
