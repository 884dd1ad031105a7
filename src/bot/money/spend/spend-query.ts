import type { SpendPeriod } from './spend-buckets.ts';

/** The member who asks for spending, with their permissions in the chat. */
export interface SpendViewer {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member may manage the server. */
  readonly isAdmin: boolean;
}

/** The spending to report. Without a member, all that the viewer may see. Without a capability, all of them. */
export interface SpendQuery {
  readonly period: SpendPeriod;
  readonly memberId?: string | undefined;
  readonly capability?: string | undefined;
}
