import type { MicroUsd } from '../../../base/money.ts';
import type { OperatorAlert } from './operator-alert.ts';
import type { GuildFigures } from './guild-figures.ts';

export interface HoldSums {
  readonly count: number;
  readonly amount: MicroUsd;
  readonly oldestAtMs: number | null;
}

/** What the last comparison of the books with the service found; see `src/bot/money/reconciliation`. */
export interface Comparison {
  readonly madeAtMs: number;
  /** False when the service's usage log had gaps. */
  readonly isComplete: boolean;
  /** What the account was used for by others, as far as single calls are known. */
  readonly foreign: MicroUsd;
  /** What nobody explains: above 0 at the service, below 0 in the books. */
  readonly drift: MicroUsd;
}

export interface OperatorStatus {
  /** As last read; null before the first time. */
  readonly account: { readonly balance: MicroUsd; readonly asOfMs: number } | null;
  /** Of all guilds, in this month (UTC). */
  readonly spent: MicroUsd;
  readonly guildCount: number;
  /** Who spent most this month, most first. */
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
