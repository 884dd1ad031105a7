import type { WatchedCharge } from '../overruns/overrun.ts';
import type { AlertOutcome } from './alert-outcome.ts';

/** An alert about a charge far above its hold. The member's new jobs wait until it is reviewed. */
export interface OverrunAlert extends Omit<WatchedCharge, 'atMs'> {
  readonly id: string;
  readonly madeAtMs: number;
}

/** Asks the admins of a guild for a review. Implemented in `src/bot/discord/cards/discord-alert-channels.ts`. */
export interface OverrunAlertChannel {
  /** Does the same as `BudgetAlertChannel.sendBudgetAlert`. */
  sendOverrunAlert(
    channelId: string,
    alert: OverrunAlert,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<AlertOutcome>;
}
