import type { MicroUsd } from '../../../base/money.ts';
import type { OverrunCause } from './overrun-cause.ts';

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
