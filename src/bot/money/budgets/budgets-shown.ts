import type { CapView, ListedCap } from '../caps/cap.ts';
import type { GuildBudgetSettings } from './guild-budget-settings.ts';

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
