import type { SpendPeriod } from './spend-buckets.ts';

/** The member who requests a report, with their permissions in the chat. */
export interface SpendViewer {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member may manage the server. */
  readonly isAdmin: boolean;
}

/** The spending to report. Without `memberId` it covers all members, and without `capability` all capabilities. */
export interface SpendQuery {
  readonly period: SpendPeriod;
  readonly memberId?: string | undefined;
  readonly capability?: string | undefined;
}
