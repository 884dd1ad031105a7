import type { CallOrigin } from '../../jobs/ports.ts';
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

/**
 * The rules of a guild, for its admins. Every method throws an `AccessError` with words for the one who asked:
 * `not_admin`, `too_many`, `out_of_range`.
 */
export interface GuildAccess {
  view(origin: CallOrigin): Promise<AccessView>;
  /** Allows or denies, in place of what was said about the same target before. */
  set(origin: CallOrigin, entry: RuleEntry): Promise<void>;
  /** Takes back what was said; false when nothing was. */
  clear(origin: CallOrigin, target: Pick<RuleEntry, 'kind' | 'target'>): Promise<boolean>;
  limit(origin: CallOrigin, change: LimitsChange): Promise<void>;
  /** Where reports go; null for nowhere. */
  reportTo(origin: CallOrigin, channelId: string | null): Promise<void>;
}

/** Where a guild wants reports of results; null where nobody chose a channel. */
export interface ReportsChannel {
  reportsChannelOf(guildId: string): Promise<string | null>;
}
