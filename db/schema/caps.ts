import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

export type BudgetPeriod = 'day' | 'week' | 'month';

export type CapPeriod = BudgetPeriod | 'total';

/**
 * The kind of target whose spending a cap limits. `operator` is the operator's allowance for a guild, which the guild's
 * admins cannot exceed. `role` limits each member with the role separately.
 */
export type CapTargetKind = 'operator' | 'guild' | 'role' | 'member';

/** The maximum amount that may be spent in a period. An empty `capability` means all capabilities. */
export interface CapsTable {
  guild_id: string;
  target_kind: CapTargetKind;
  /** The id of the role or member; otherwise empty. */
  target_id: string;
  capability: string;
  period: CapPeriod;
  limit_micros: MicroUsd;
  set_by: string;
  set_at_ms: number;
}

/** A change of a cap, and who made it. A limit is null if no cap existed before the change, or none exists after it. */
export interface CapChangesTable {
  id: Generated<number>;
  guild_id: string;
  target_kind: CapTargetKind;
  target_id: string;
  capability: string;
  period: CapPeriod;
  before_micros: MicroUsd | null;
  after_micros: MicroUsd | null;
  changed_by: string;
  changed_at_ms: number;
}

/** The money settings that a guild's admins chose. A null `time_zone` means the operator's time zone. */
export interface BudgetSettingsTable {
  guild_id: string;
  time_zone: string | null;
  /** The price above which a job requires a confirmation; null if no job requires one. */
  confirm_above_micros: MicroUsd | null;
  alerts_channel_id: string | null;
  /** Whether voice sessions continue automatically; null if they do not. */
  voice_renewal: number | null;
}

/**
 * The window that a change of time zone creates for a guild's own caps, by merging the current window with the new
 * zone's window. It applies to spending from `counts_from_ms` (the start of the current window) to `ends_at_ms`.
 */
export interface ZoneChangesTable {
  guild_id: string;
  period: BudgetPeriod;
  counts_from_ms: number;
  starts_at_ms: number;
  ends_at_ms: number;
  /** The zone that still applies to spending before `counts_from_ms`. */
  zone_before: string;
}

export type ZoneChangeRow = Selectable<ZoneChangesTable>;
export type CapRow = Selectable<CapsTable>;
export type CapChangeRow = Selectable<CapChangesTable>;
export type BudgetSettingsRow = Selectable<BudgetSettingsTable>;
