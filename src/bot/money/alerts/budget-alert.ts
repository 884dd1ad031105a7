import type { AlertPercent } from '../../../../db/schema/alerts.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Cap } from '../caps/cap.ts';
import type { AlertOutcome } from './alert-outcome.ts';

/**
 * An alert that the use of a cap has reached a percentage of its limit. The amounts are those at the time when the
 * alert was created.
 */
export interface BudgetAlert extends Cap {
  readonly id: string;
  readonly guildId: string;
  /** The member whose use reached the percentage, for role and member caps; otherwise null. */
  readonly userId: string | null;
  readonly percent: AlertPercent;
  /** The amount that was charged. */
  readonly posted: MicroUsd;
  /** The amount that is set aside and not charged yet. */
  readonly pending: MicroUsd;
  readonly madeAtMs: number;
  /** When the cap resets (epoch milliseconds); null if its period never ends (`total`). */
  readonly resetsAtMs: number | null;
}

/**
 * Notifies the admins of a guild about their budget. Implemented in
 * `src/bot/discord/cards/discord-alert-channels.ts`.
 */
export interface BudgetAlertChannel {
  /**
   * Posts the alert once, however many times this is called. `isRepeat` means that an earlier call may have posted it.
   * Throws if the chat cannot be reached.
   */
  sendBudgetAlert(
    channelId: string,
    alert: BudgetAlert,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<AlertOutcome>;
}
