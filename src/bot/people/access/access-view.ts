import type { AccessLimits, RuleEntry } from './rules.ts';

/** The rules of a guild as they count now: its own, and the operator's defaults for the rest. */
export interface AccessView extends AccessLimits {
  readonly entries: readonly RuleEntry[];
  /** Where reports of results go; null where nobody chose a channel. */
  readonly reportsChannelId: string | null;
}

/** A change of limits; what is left out stays, null goes back to the operator's default. */
export interface LimitsChange {
  readonly cooldownSeconds?: number | null;
  readonly concurrentMax?: number | null;
  readonly ageRestrictedOnly?: boolean | null;
}
