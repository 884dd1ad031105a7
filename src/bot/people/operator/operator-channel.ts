import type { Told } from '../../money/alerts/told.ts';
import type { OperatorNote } from './operator-alert.ts';

/** Tells the operator. Implemented in `src/bot/discord/cards/alert-channels.ts`. */
export interface OperatorChannel {
  /** As `BudgetAlertChannel.tellBudget`. */
  tellOperator(
    channelId: string,
    note: OperatorNote,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Told>;
}
