import type { MicroUsd } from '../../../base/money.ts';
import type { OverrunCause } from './overrun-cause.ts';

/** A charge above its hold. */
export interface Overrun {
  readonly guildId: string;
  readonly userId: string;
  readonly capability: string;
  readonly held: MicroUsd;
  readonly charged: MicroUsd;
  readonly atMs: number;
  readonly cause: OverrunCause;
}

/** A charge far above its hold. The member's new jobs wait until the charge is reviewed. */
export type WatchedCharge = Omit<Overrun, 'cause'>;

/** A guild's overruns, for its budget managers. */
export interface OverrunsShown {
  /** Newest first. */
  readonly overruns: readonly Overrun[];
  /** Whether there are older overruns that are not listed. */
  readonly hasMore: boolean;
  /** The charges that wait for a review, oldest first. */
  readonly waiting: readonly WatchedCharge[];
}
