import type { AccessLimits, RuleEntry } from './rules.ts';

/** The rules of a guild as they count now: its own, and the operator's defaults for the rest. */
export interface AccessView extends AccessLimits {
  readonly entries: readonly RuleEntry[];
  /** The channel for reports of results. Null if no channel was chosen. */
  readonly reportsChannelId: string | null;
}

/** A change of limits. An absent limit stays as it is, and null restores the operator's default. */
export interface LimitsChange {
  readonly cooldownSeconds?: number | null;
  readonly concurrentMax?: number | null;
  readonly ageRestrictedOnly?: boolean | null;
}
