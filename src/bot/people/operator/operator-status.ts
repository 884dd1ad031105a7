import type { MicroUsd } from '../../../base/money.ts';
import type { OperatorAlert } from './operator-alert.ts';
import type { GuildFigures } from './guild-figures.ts';

/** The sums of open holds in one state. */
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
  /** The charges of others who use the account, as far as single calls are known. */
  readonly foreign: MicroUsd;
  /** The unexplained difference: above 0 at the service, below 0 in the books. */
  readonly drift: MicroUsd;
}

/** The state of everything, for the operator. */
export interface OperatorStatus {
  /** The balance when it was last read. Null before the first time. */
  readonly account: { readonly balance: MicroUsd; readonly asOfMs: number } | null;
  /** The amount that all guilds spent in this month (UTC). */
  readonly spent: MicroUsd;
  readonly guildCount: number;
  /** The guilds that spent most this month, most first. */
  readonly top: readonly GuildFigures[];
  readonly pending: HoldSums;
  readonly review: HoldSums;
  /** Number of usage records whose owner the operator has to decide. */
  readonly records: number;
  /** Null before the first one. */
  readonly comparison: Comparison | null;
  readonly isPaused: boolean;
  readonly pausedGuilds: number;
  readonly alerts: readonly OperatorAlert[];
}
