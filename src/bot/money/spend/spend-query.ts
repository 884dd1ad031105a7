import type { SpendPeriod } from './spend-buckets.ts';

/** The member who requests a report, with the permissions that Discord sent. */
export interface SpendViewer {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member has Discord's "Manage Server" permission. */
  readonly isAdmin: boolean;
}

/** The spending to report. Without `memberId` it covers all members; without `capability`, all capabilities. */
export interface SpendQuery {
  readonly period: SpendPeriod;
  readonly memberId?: string | undefined;
  readonly capability?: string | undefined;
}
