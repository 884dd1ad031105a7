import type { MicroUsd } from '../../../base/money.ts';
import type { BudgetCaller } from '../budgets/budget-ports.ts';

/** Why a charge was above what was held for it, as far as the quote tells. */
export type OverrunCause =
  /** The session ran on for longer than was held for. */
  | 'session'
  /** The script took longer to speak than was reckoned. */
  | 'script'
  /** The result was longer than the files, or than what was assumed before they were known. */
  | 'length'
  /** What is billed was certain, so that the price must have changed. */
  | 'price'
  /** Nothing told the price beforehand. */
  | 'unpriced'
  | 'unknown';

/** A charge above what was held for it. */
export interface Overrun {
  readonly guildId: string;
  readonly userId: string;
  readonly capability: string;
  readonly held: MicroUsd;
  readonly charged: MicroUsd;
  readonly atMs: number;
  readonly cause: OverrunCause;
}

/** A charge far above its hold, because of which the member's new jobs wait. */
export type WatchedCharge = Omit<Overrun, 'cause'>;

export interface OverrunsShown {
  /** Newest first. */
  readonly overruns: readonly Overrun[];
  /** There are older ones that are not shown. */
  readonly hasMore: boolean;
  /** What somebody has to look at, oldest first. */
  readonly waiting: readonly WatchedCharge[];
}

/** A guild's overruns, for those who manage its budget. Both throw `BudgetError` (`not_manager`) for everybody else. */
export interface OverrunDesk {
  show(by: BudgetCaller): Promise<OverrunsShown>;
  /** Somebody has looked: the member's jobs go on. False when there was nothing to look at. */
  clear(by: BudgetCaller, userId: string): Promise<boolean>;
}
