import type { Told } from '../../money/alerts/alert-outcome.ts';
import type { OperatorNote } from './operator-alert.ts';

/** Notifies the operator. Implemented in `src/bot/discord/cards/alert-channels.ts`. */
export interface OperatorChannel {
  /** Does the same as `BudgetAlertChannel.tellBudget`. */
  tellOperator(
    channelId: string,
    note: OperatorNote,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Told>;
}
