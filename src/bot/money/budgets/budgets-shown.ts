import type { CapView, ListedCap } from '../caps/cap.ts';
import type { GuildBudgetSettings } from './guild-budget-settings.ts';

/** The budgets of a guild that a member may see. */
export interface BudgetsShown {
  /** Whether the member may change budgets. */
  readonly isManager: boolean;
  /** The budgets of the whole guild: first the operator's allowance, and the operator's default if no other one counts. */
  readonly guild: readonly CapView[];
  /** The budgets of the caller: as a member, and by their roles. */
  readonly own: readonly CapView[];
  /** For managers, all budgets of roles and members. Otherwise empty. */
  readonly others: readonly ListedCap[];
  readonly settings: GuildBudgetSettings;
}
