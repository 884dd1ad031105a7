import type { WatchedCharge } from '../overruns/overrun.ts';
import type { AlertOutcome } from './alert-outcome.ts';

/** An alert about a charge far above its hold. The member's new jobs wait until the charge is reviewed. */
export interface OverrunAlert extends Omit<WatchedCharge, 'atMs'> {
  readonly id: string;
  readonly madeAtMs: number;
}

/** Asks a guild's admins for a review. Implemented in `src/bot/discord/cards/discord-alert-channels.ts`. */
export interface OverrunAlertChannel {
  /** Behaves like `BudgetAlertChannel.sendBudgetAlert`. */
  sendOverrunAlert(
    channelId: string,
    alert: OverrunAlert,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<AlertOutcome>;
}
