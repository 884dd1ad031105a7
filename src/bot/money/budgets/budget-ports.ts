import type { BudgetPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Cap, CapKey, CapTarget, CapView, ListedCap } from '../caps/cap.ts';

/** Who asks, as far as budgets go. */
export interface BudgetCaller {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** May manage the server. */
  readonly isAdmin: boolean;
}

/** Whose spending the admins of a guild can limit. */
export type AdminTarget = Exclude<CapTarget, { kind: 'operator' | 'default' }>;

/** A cap that the admins of a guild can set. */
export interface AdminCapKey extends CapKey {
  readonly target: AdminTarget;
}

/** What may be spent in a guild, to whoever asks. */
export interface BudgetsShown {
  /** May change it. */
  readonly isManager: boolean;
  /** Of the whole guild: the operator's allowance first; the operator's default where no other one counts. */
  readonly guild: readonly CapView[];
  /** Of the one who asks: as a member, and by their roles. */
  readonly own: readonly CapView[];
  /** All of roles and members; for managers, else empty. */
  readonly others: readonly ListedCap[];
  readonly settings: GuildBudgetSettings;
}

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

/** What a change of a cap came to. */
export interface CapChanged {
  /** Null: there was none. */
  readonly before: MicroUsd | null;
  /** Null: there is none any more. */
  readonly now: ListedCap | null;
  /** The operator's default, which it put out of force. */
  readonly replaced: Cap | null;
  /** The operator's default, which counts again. */
  readonly usual: ListedCap | null;
}

/** One change of a cap in the past. */
export interface PastChange {
  readonly key: CapKey;
  readonly before: MicroUsd | null;
  readonly after: MicroUsd | null;
  readonly byUserId: string;
  readonly atMs: number;
}

export interface PastChanges {
  readonly page: number;
  readonly changes: readonly PastChange[];
  readonly hasMore: boolean;
}

/**
 * The budgets of a guild, for its members to see and for those who manage it to change. Throws a `BudgetError` with
 * words for the one who asked.
 */
export interface BudgetDesk {
  show(by: BudgetCaller): Promise<BudgetsShown>;
  /** Sets a cap in place of the one with the same key. */
  set(by: BudgetCaller, cap: AdminCapKey & { readonly limit: MicroUsd }): Promise<CapChanged>;
  clear(by: BudgetCaller, key: AdminCapKey): Promise<CapChanged>;
  /** Changes of caps, newest first; for managers. Pages count from 0. */
  history(by: BudgetCaller, page: number): Promise<PastChanges>;
  change(by: BudgetCaller, change: BudgetSettingsChange): Promise<GuildBudgetSettings>;
  /** For admins alone: who manages does not name others. */
  addManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings>;
  removeManager(by: BudgetCaller, roleId: string): Promise<GuildBudgetSettings>;
}
