import type { AccessLimits, RuleEntry } from './rules.ts';

/** A guild's effective rules: its own, and the operator's defaults where it has none. */
export interface AccessView extends AccessLimits {
  readonly entries: readonly RuleEntry[];
  /** The channel for reports of results; null if none was chosen. */
  readonly reportsChannelId: string | null;
}

/** A change of limits. An absent limit stays as it is, and null restores the operator's default. */
export interface LimitsChange {
  readonly cooldownSeconds?: number | null;
  readonly concurrentMax?: number | null;
  readonly ageRestrictedOnly?: boolean | null;
}
