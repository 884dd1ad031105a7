import type { BudgetPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** A period that ends later than it would by the calendar in the guild's time zone. */
interface LengthenedPeriod {
  readonly period: BudgetPeriod;
  readonly resetsAtMs: number;
}

/** The settings that apply in a guild: its own, and the operator's defaults where it has none. */
export interface GuildBudgetSettings {
  /** The time zone of the limits that the guild's admins set. */
  readonly timeZone: string;
  /**
   * The current periods that a time zone change lengthened, each with the end that applies to the guild's own budgets.
   * Periods whose ends match the zone's calendar are not listed.
   */
  readonly lengthened: readonly LengthenedPeriod[];
  /** The time zone of the operator's limits: the allowance, and the default budget if admins set no budget. */
  readonly operatorTimeZone: string;
  /** Members must confirm jobs that cost more than this. Null if jobs never need confirmation. */
  readonly confirmAbove: MicroUsd | null;
  readonly alertsChannelId: string | null;
  /** Whether voice sessions continue beyond their booked time while members speak and the budget lasts. */
  readonly voiceRenewal: boolean;
  /** The roles that may manage budgets, in addition to members with the "Manage Server" permission. */
  readonly managerRoleIds: readonly string[];
}

/** A change of settings. An absent setting stays as it is, and null restores the operator's default. */
export interface BudgetSettingsChange {
  /** The IANA name of a time zone. */
  readonly timeZone?: string | null;
  readonly confirmAbove?: MicroUsd | null;
  readonly alertsChannelId?: string | null;
  readonly voiceRenewal?: boolean | null;
}
