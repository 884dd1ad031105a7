import type { SpendPeriod } from './spend-buckets.ts';

/** Who asks what was spent, and what the chat says that they may do. */
export interface SpendViewer {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** May manage the server. */
  readonly isAdmin: boolean;
}

/** What is asked for: without member what the viewer may see, without capability everything. */
export interface SpendQuery {
  readonly period: SpendPeriod;
  readonly memberId?: string | undefined;
  readonly capability?: string | undefined;
}
