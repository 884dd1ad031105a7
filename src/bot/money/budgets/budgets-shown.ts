import type { CapView, ListedCap } from '../caps/cap.ts';
import type { GuildBudgetSettings } from './guild-budget-settings.ts';

/** The budgets of a guild that a member may see. */
export interface BudgetsShown {
  /** Whether the member may change budgets. */
  readonly isManager: boolean;
  /**
   * The budgets of the whole guild, the operator's allowance first. If none of them limits all spending, the operator's
   * default does.
   */
  readonly guild: readonly CapView[];
  /** The budgets that limit the caller, as a member or by a role. */
  readonly own: readonly CapView[];
  /** For managers, all budgets of roles and members. Otherwise empty. */
  readonly others: readonly ListedCap[];
  readonly settings: GuildBudgetSettings;
}
