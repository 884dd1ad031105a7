import type { MicroUsd } from '../../../base/money.ts';
import type { OperatorAlert } from './operator-alert.ts';
import type { GuildFigures } from './guild-figures.ts';

/** The sum and number of open holds in one state. */
export interface HoldSums {
  readonly count: number;
  readonly amount: MicroUsd;
  readonly oldestAtMs: number | null;
}

/** The result of the last comparison of the books with the service; see `src/bot/money/reconciliation`. */
export interface Comparison {
  readonly madeAtMs: number;
  /** False if the service's usage log had gaps. */
  readonly isComplete: boolean;
  /** The charges from other users of the account, as far as their calls are known. */
  readonly foreign: MicroUsd;
  /** The unexplained difference: positive if the service charged more than the books contain, negative if less. */
  readonly drift: MicroUsd;
}

/** The state of the whole bot, for the operator. */
export interface OperatorStatus {
  /** The most recent balance; null before the first reading. */
  readonly account: { readonly balance: MicroUsd; readonly asOfMs: number } | null;
  /** The amount that all guilds spent in the current calendar month (UTC). */
  readonly spent: MicroUsd;
  readonly guildCount: number;
  /** The guilds that spent the most this month, in descending order. */
  readonly top: readonly GuildFigures[];
  readonly pending: HoldSums;
  readonly review: HoldSums;
  /** The number of usage records that the operator must assign. */
  readonly records: number;
  /** Null before the first comparison. */
  readonly comparison: Comparison | null;
  readonly isPaused: boolean;
  readonly pausedGuilds: number;
  readonly alerts: readonly OperatorAlert[];
}
