import type { WatchedCharge } from '../overruns/overrun.ts';
import type { Told } from './told.ts';

/** A charge far above its hold, because of which the member's new jobs wait for a review. */
export interface OverrunAlert extends Omit<WatchedCharge, 'atMs'> {
  readonly id: string;
  readonly madeAtMs: number;
}

/** Asks a community's admins for a review. Implemented in `src/bot/discord/cards/discord-alert-channels.ts`. */
export interface OverrunAlertChannel {
  /** Does the same as `BudgetAlertChannel.tellBudget`. */
  tellOverrun(
    channelId: string,
    alert: OverrunAlert,
    options: { readonly isRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Told>;
}
