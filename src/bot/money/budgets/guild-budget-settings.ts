import type { BudgetPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** A period that ends later than the calendar of the guild's time zone says. */
interface LengthenedPeriod {
  readonly period: BudgetPeriod;
  readonly resetsAtMs: number;
}

/** What counts in a guild: its own settings, and the operator's for the rest. */
export interface GuildBudgetSettings {
  /** The time zone of the limits that the guild's admins set. */
  readonly timeZone: string;
  /**
   * Periods under way that a change of the time zone lengthened, with the end that counts for the budgets set here;
   * none where the calendar of the zone tells the end.
   */
  readonly lengthened: readonly LengthenedPeriod[];
  /** The time zone of the operator's limits: the allowance, and the default budget if admins set none. */
  readonly operatorTimeZone: string;
  /** Jobs that cost more are asked about first; null: none is. */
  readonly confirmAbove: MicroUsd | null;
  readonly alertsChannelId: string | null;
  /** Voice sessions go on when their time is up, while somebody speaks and the budget lasts. */
  readonly voiceRenewal: boolean;
  /** Roles that may manage the budget besides those who may manage the server. */
  readonly managerRoleIds: readonly string[];
}

/** What is left out stays; null goes back to the operator's. */
export interface BudgetSettingsChange {
  /** IANA name. */
  readonly timeZone?: string | null;
  readonly confirmAbove?: MicroUsd | null;
  readonly alertsChannelId?: string | null;
  readonly voiceRenewal?: boolean | null;
}
