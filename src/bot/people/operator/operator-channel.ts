import type { Told } from '../../money/alerts/told.ts';
import type { OperatorNote } from './operator-alert.ts';

/** Notifies the operator. `src/bot/discord/cards/discord-alert-channels.ts` implements it. */
export interface OperatorChannel {
  /** Sends an alert, like `BudgetAlertChannel.tellBudget`. */
  tellOperator(
    channelId: string,
    note: OperatorNote,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Told>;
}
