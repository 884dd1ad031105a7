import type { AlertPercent } from '../../../../db/schema/alerts.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Cap } from '../caps/cap.ts';
import type { Told } from './told.ts';

/** A cap reached a part of its limit; what was used is as of that moment. */
export interface BudgetAlert extends Cap {
  readonly id: string;
  readonly guildId: string;
  /** Whose share it is, of caps of roles and members; else null. */
  readonly userId: string | null;
  readonly percent: AlertPercent;
  /** What was charged. */
  readonly posted: MicroUsd;
  /** What is set aside on top of it. */
  readonly pending: MicroUsd;
  readonly madeAtMs: number;
  /** Null: never (`total`). */
  readonly resetsAtMs: number | null;
}

/** Tells a community's admins of their budget. Implemented in `src/bot/discord/cards/alert-channels.ts`. */
export interface BudgetAlertChannel {
  /**
   * Posts the alert once, however often it is called; `isRepeat` when an earlier call may have posted it. Throws when
   * the chat could not be asked.
   */
  tellBudget(
    channelId: string,
    alert: BudgetAlert,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Told>;
}
