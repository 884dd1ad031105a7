import type { CapView, ListedCap } from '../caps/cap.ts';
import type { GuildBudgetSettings } from './guild-budget-settings.ts';

/** The guild budgets that a member may see. */
export interface BudgetsShown {
  /** Whether the member may change budgets. */
  readonly isManager: boolean;
  /**
   * The budgets of the whole guild, the operator's allowance first. If none of them limits all spending, the operator's
   * default budget is included.
   */
  readonly guild: readonly CapView[];
  /** The budgets that limit the caller, either personally or through a role. */
  readonly own: readonly CapView[];
  /** All role and member budgets, if the caller is a manager; otherwise empty. */
  readonly others: readonly ListedCap[];
  readonly settings: GuildBudgetSettings;
}
